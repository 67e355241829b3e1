// Sends the requests of a file, as a bare Node process does, and reads nothing of the answers: what any client on Node
// has to pay to ask for them. It ends when its watches have shown as many deletions as the file says.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createSecureContext } from 'node:tls';

const { server, ca, token, steps, deletions } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
);
const agent = new Agent({ keepAlive: true, secureContext: createSecureContext({ ca }) });
const allShown = Promise.withResolvers();
let shown = 0;

for (const { requests, atOnce } of steps) {
  const queue = requests.values();
  const inTurn = async () => {
    for (const one of queue) await send(one);
  };
  await Promise.all(Array.from({ length: atOnce }, inTurn));
}
if (deletions > 0) await allShown.promise;
process.exit();

function send({ method, url, headers, body }) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const options = { method, agent, headers: { ...headers, authorization: `Bearer ${token}` } };
  const sent = request(server + url, options, (response) => {
    if (response.statusCode >= 400) {
      reject(new Error(`${method} ${url} was answered with ${response.statusCode}`));
    } else if (url.includes('watch=true')) {
      resolve();
      response.setEncoding('utf8').on('data', count);
    } else response.resume().on('end', resolve);
  });
  sent.on('error', reject).end(body);
  return promise;
}

function count(events) {
  shown += events.split('"type":"DELETED"').length - 1;
  if (shown >= deletions) allShown.resolve();
}
