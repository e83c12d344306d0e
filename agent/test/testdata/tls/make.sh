#!/bin/sh
# Makes the certificates of this folder anew. Needs openssl 3. Run it here; everything it writes is committed.
set -eu

# Both kinds have dates of their own, so that nothing depends on the clock of the machine that runs this.
self_signed() { # name, key, subject, extensions
  openssl req -new -key "$2" -subj "$3" -out request.tmp
  printf "$4" > extensions.tmp
  openssl ca -batch -config ca.tmp -selfsign -keyfile "$2" -in request.tmp -extfile extensions.tmp -notext \
    -startdate 20200101000000Z -enddate 21200101000000Z -out "$1.pem" 2>/dev/null
}
leaf() { # name, subject, subjectAltName, first day, last day
  openssl req -new -key server.key -subj "$2" -out request.tmp
  printf 'subjectAltName=%s\nbasicConstraints=CA:FALSE\n' "$3" > extensions.tmp
  openssl ca -batch -config ca.tmp -in request.tmp -extfile extensions.tmp -notext \
    -startdate "$4" -enddate "$5" -out "$1.pem" 2>/dev/null
}

: > index.tmp
echo 1000 > serial.tmp
cat > ca.tmp <<'CONF'
[ca]
default_ca = test
[test]
database = index.tmp
serial = serial.tmp
new_certs_dir = .
certificate = ca.pem
private_key = ca.key
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
CONF

openssl ecparam -name prime256v1 -genkey -noout -out ca.key
openssl ecparam -name prime256v1 -genkey -noout -out server.key
self_signed ca ca.key '/CN=Vantage test CA' 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n'

valid='DNS:site.example.com,IP:127.0.0.1,IP:::1'
leaf good '/CN=site.example.com' "$valid" 20200101000000Z 21200101000000Z
leaf expired '/CN=site.example.com' "$valid" 20200101000000Z 20210101000000Z
leaf future '/CN=site.example.com' "$valid" 21100101000000Z 21200101000000Z
leaf wrong-name '/CN=other.example.com' 'DNS:other.example.com' 20200101000000Z 21200101000000Z
self_signed self-signed server.key '/CN=site.example.com' "subjectAltName=$valid\nbasicConstraints=CA:FALSE\n"

rm -f ./*.tmp ./*.tmp.* ./*.old ./10*.pem ca.key
