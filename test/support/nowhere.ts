/** An environment in which kubectl would find nothing that decides a connection. */
export const nowhere = {
  env: { HOME: '/nowhere' },
  cwd: '/',
  serviceAccountDirectory: '/nowhere',
  stdinIsTerminal: false,
};
