// Sends the requests of a file, as a bare Node process does, and reads nothing of the answers: what any client on Node
// has to pay to ask for them. It ends when its watches have shown as many deletions as the file says.
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';

const { server, ca, token, steps, deletions } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
);
// One connection, as the commands have it, with as much room for long answers.
const session = connect(server, { ca, settings: { initialWindowSize: 2 ** 20 } });
session.on('connect', () => session.setLocalWindowSize(2 ** 24));
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
  const all = { ...headers, authorization: `Bearer ${token}`, ':method': method, ':path': url };
  const sent = session.request(all, { endStream: body === '' });
  sent.on('response', ({ ':status': status }) => {
    // Owners that are missing are asked for, too.
    if (status >= 400 && status !== 404)
      reject(new Error(`${method} ${url} was answered with ${status}`));
    else if (url.includes('watch=true')) {
      resolve();
      sent.setEncoding('utf8').on('data', count);
    } else sent.resume().on('end', resolve);
  });
  sent.on('error', reject);
  if (body !== '') sent.end(body);
  return promise;
}

function count(events) {
  shown += events.split('"type":"DELETED"').length - 1;
  if (shown >= deletions) allShown.resolve();
}
