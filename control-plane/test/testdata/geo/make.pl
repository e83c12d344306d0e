#!/usr/bin/perl
# Writes the small .mmdb files next to it, each in the format of one vendor. Needs libmaxmind-db-writer-perl.
# usage: perl make.pl [directory]
use strict;
use warnings;
use FindBin qw($Bin);
use MaxMind::DB::Writer::Tree;

my $directory = $ARGV[0] // $Bin;
my %types = (
    asn => 'uint32', autonomous_system_number => 'uint32', autonomous_system_organization => 'utf8_string',
    isp => 'utf8_string', organization => 'utf8_string',
    city => 'map', country => 'map', location => 'map', names => 'map', en => 'utf8_string', de => 'utf8_string',
    iso_code => 'utf8_string', time_zone => 'utf8_string', latitude => 'double', longitude => 'double', subdivisions => [ 'array', 'map' ],
    connection_type => 'utf8_string',
);
# IPinfo: everything is text, nothing is nested
my %flat = map { $_ => 'utf8_string' } qw(city region country country_code asn as_name lat lng);

sub place {
    my ($country, $subdivisions, $city, $latitude, $longitude) = @_;
    return {
        country => { iso_code => $country },
        (@$subdivisions ? (subdivisions => [ map { { iso_code => $_ } } @$subdivisions ]) : ()),
        (defined $city ? (city => { names => { en => $city, de => "$city (de)" } }) : ()),
        (defined $latitude ? (location => { latitude => $latitude, longitude => $longitude }) : ()),
    };
}

sub write_database {
    my ($file, $type, $fields, $records) = @_;
    my $tree = MaxMind::DB::Writer::Tree->new(
        ip_version => 6, record_size => 24, database_type => $type, languages => ['en'], description => { en => 'for tests' },
        map_key_type_callback => sub { my $t = $fields->{ $_[0] }; return ref $t ? $t : $t // 'utf8_string' },
        # 10.0.0.0/8 is in it on purpose
        remove_reserved_networks => 0,
    );
    $tree->insert_network($_, $records->{$_}) for sort keys %$records;
    open my $out, '>:raw', "$directory/$file" or die "$file: $!";
    $tree->write_tree($out);
    close $out;
}

write_database('city.mmdb', 'GeoLite2-City', \%types, {
    '81.2.69.0/24'   => place('GB', ['ENG'], 'London', 51.5142, -0.0931),
    '89.160.20.0/24' => place('SE', ['E'], 'Linkoping', 58.4167, 15.6167),
    '2001:218::/32'  => place('JP', ['13'], 'Tokyo', 35.685, 139.7514),
    '10.0.0.0/8'     => place('DE', ['BE'], 'Berlin', 52.5, 13.4),
    '5.83.0.0/16'    => place('XK', [], 'Pristina', 42.66, 21.16),
});
write_database('city-newer.mmdb', 'DBIP-City-Lite', \%types, { '81.2.69.0/24' => place('FR', [], 'Paris', 48.86, 2.34) });
write_database('country.mmdb', 'DBIP-Country-Lite', \%types, {
    '81.2.69.0/24' => place('IE', []),
    '1.128.0.0/11' => place('AU', []),
});
write_database('asn.mmdb', 'GeoLite2-ASN', \%types, {
    '81.2.69.0/24' => { autonomous_system_number => 20712, autonomous_system_organization => 'Andrews & Arnold Ltd' },
    '1.128.0.0/11' => { autonomous_system_number => 1221, autonomous_system_organization => 'Telstra Pty Ltd' },
    '2001:218::/32' => { autonomous_system_number => 2914, autonomous_system_organization => 'NTT America, Inc.' },
});
write_database('isp.mmdb', 'GeoIP2-ISP', \%types, {
    '1.128.0.0/11' => {
        autonomous_system_number => 1221, autonomous_system_organization => 'Telstra Pty Ltd',
        isp => 'Telstra Internet', organization => 'Hetzner Online GmbH',
    },
});
write_database('ipinfo.mmdb', 'ipinfo standard_location_asn.mmdb', \%flat, {
    '41.58.0.0/16' => {
        city => 'Lagos', region => 'Lagos', country => 'NG', asn => 'AS37148', as_name => 'Globacom Limited',
        lat => '6.45407', lng => '3.39467',
    },
    # of its "lite" files the country is a name
    '41.60.0.0/16' => { country => 'Kenya', country_code => 'KE', asn => 'AS15808', as_name => 'Access Kenya' },
});
write_database('connection.mmdb', 'GeoIP2-Connection-Type', \%types, { '81.2.69.0/24' => { connection_type => 'Cable/DSL' } });
# its subdivisions have names only, its time zones are distances from UTC, and a dash stands for an unknown value
write_database('ip2location.mmdb', 'IP2LITE-Country-State-City-Latitude-Longitude-ZIPCode-TimeZone', \%types, {
    '203.106.0.0/16' => {
        country => { iso_code => 'MY', names => { en => 'Malaysia' } },
        subdivisions => [ { names => { en => 'Selangor' } } ],
        city => { names => { en => 'Petaling Jaya' } },
        location => { latitude => 3.10726, longitude => 101.60671, time_zone => '+08:00' },
    },
    '203.107.0.0/16' => {
        country => { iso_code => 'MY', names => { en => 'Malaysia' } },
        subdivisions => [ { names => { en => '-' } } ],
        city => { names => { en => '-' } },
        location => { latitude => 0, longitude => 0, time_zone => '-' },
    },
    '203.108.0.0/16' => { country => { iso_code => '-', names => { en => '-' } } },
});
