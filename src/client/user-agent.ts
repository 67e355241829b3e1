import packageJson from '../../package.json' with { type: 'json' };

/** What requests call themselves in audit logs: `kubectl-gc/1.2.3`. */
export const userAgent = `${packageJson.name}/${packageJson.version}`;
