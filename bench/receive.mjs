// Fetches the URLs of a curl config as a bare Node process does, six at a time, and throws every byte
// away: what any client on Node has to pay before it reads anything.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';

const config = readFileSync(process.argv[2] ?? '', 'utf8');
const urls = [...config.matchAll(/^url = "(.*)"$/gm)].map((match) => match[1] ?? '');
const headers = Object.fromEntries(
  [...config.matchAll(/^header = "(.*?): (.*)"$/gm)].map((match) => [match[1], match[2]]),
);
const agent = new Agent({ keepAlive: true, maxSockets: 6, rejectUnauthorized: false });
let bytes = 0;

await Promise.all(
  urls.map(
    (url) =>
      new Promise((resolve, reject) => {
        get(url, { agent, headers }, (response) => {
          response.on('data', (chunk) => {
            bytes += chunk.length;
          });
          response.on('end', resolve);
        }).on('error', reject);
      }),
  ),
);
agent.destroy();
console.log(`${(bytes / 1e6).toFixed(0)} MB`);
