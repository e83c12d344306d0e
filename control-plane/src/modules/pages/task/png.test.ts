import { inflateSync } from 'node:zlib';
import t from 'tap';
import { encodePng } from './png.js';
import { previewPicture } from './preview-picture.js';

t.test('a picture is a PNG with its size, its palette and its pixels', async (t) => {
  const pixels = Uint8Array.from([0, 1, 1, 0, 0, 1]);
  const png = encodePng({
    width: 3,
    height: 2,
    palette: [
      [255, 255, 255],
      [11, 92, 173],
    ],
    pixels,
  });
  t.equal(png.subarray(0, 8).toString('hex'), '89504e470d0a1a0a');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  t.strictSame([...chunks.keys()], ['IHDR', 'PLTE', 'IDAT', 'IEND']);
  t.equal(chunks.get('IHDR')?.toString('hex'), '00000003000000020803000000');
  t.equal(chunks.get('PLTE')?.toString('hex'), 'ffffff0b5cad');
  t.equal(inflateSync(chunks.get('IDAT') ?? '').toString('hex'), '0000010100000001');
  // the checksum of an end without data is the same in every PNG
  t.equal(png.subarray(-12).toString('hex'), '0000000049454e44ae426082');
});

t.test('the preview of results shows a shape for each verdict, and stays small', async (t) => {
  const bars = [{ name: 'tcp_ms', title: 'TCP', ms: 10, start: 0, end: 1, isUnfinished: false }];
  const looks = ['good', 'warn', 'bad'] as const;
  const picture = previewPicture(looks.map((look) => ({ look, bars, share: 0.5 })));
  const used = new Set(picture.pixels);
  t.equal(picture.pixels.length, 1_200 * 630);
  t.ok(used.size >= 7, 'ground, sign, three verdicts, rows and bars');
  t.ok(encodePng(picture).length < 20_000);
});
