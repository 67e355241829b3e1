/** The host of a server's address; one of IPv6 without brackets. */
export function hostOf(server: URL): string {
  return server.hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

/** Is the server on this machine, or at the end of a tunnel that begins here? */
export function isLoopback(server: URL): boolean {
  const host = hostOf(server);
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
