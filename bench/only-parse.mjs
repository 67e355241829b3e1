// Cuts a file of NDJSON into lines, parses each, and throws it away: what any program on Node has to pay that makes
// objects of them.
import { createReadStream } from 'node:fs';

const lineBreak = 10;
let rest = Buffer.alloc(0);
let objects = 0;

for await (const chunk of createReadStream(process.argv[2] ?? '', { highWaterMark: 2 ** 20 })) {
  const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
  let start = 0;
  for (let end = bytes.indexOf(lineBreak); end >= 0; end = bytes.indexOf(lineBreak, start)) {
    JSON.parse(bytes.toString('utf8', start, end));
    objects++;
    start = end + 1;
  }
  rest = bytes.subarray(start);
}
console.log(`${objects} objects`);
