import { connect, createServer, type Socket } from 'node:net';

/** What stands between the API server and guards, as a Service does; it can be slow, or hang. */
interface GuardRelay {
  readonly port: number;
  /** Ports of the guards that are ready: each connection goes to the next one. */
  targets: readonly number[];
  /** What a guard answers arrives so many milliseconds later. */
  delay: number;
  /** Connections are accepted, and nothing comes of them. */
  hangs: boolean;
  /** Ends the connections, so that the next request opens another. */
  cut(): void;
  close(): void;
}

export async function startRelay(): Promise<GuardRelay> {
  const sockets = new Set<Socket>();
  const note = (socket: Socket) => {
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  let turn = 0;
  const server = createServer((client) => {
    note(client);
    const port = relay.targets[turn++ % relay.targets.length];
    if (relay.hangs || port === undefined) return;
    const guard = note(connect(port, '127.0.0.1'));
    client.pipe(guard);
    guard.on('data', (chunk) => setTimeout(() => client.write(chunk), relay.delay));
    guard.once('close', () => setTimeout(() => client.destroy(), relay.delay));
    client.once('close', () => guard.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const relay: GuardRelay = {
    port: typeof address === 'object' && address ? address.port : 0,
    targets: [],
    delay: 0,
    hangs: false,
    cut,
    close: () => {
      server.close();
      cut();
    },
  };
  return relay;
}
