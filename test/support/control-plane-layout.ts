import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minorOf } from '../../src/settings/setting-definition.ts';
import { writesLog, writesPolicy } from './bound-writes.ts';
import { certificateAuthority, issueCertificate, signingKey } from './certificates.ts';
import { kubeconfig } from './cluster.ts';

const loopback = '127.0.0.1';

export interface TokenUser {
  readonly token: string;
  readonly user: string;
  readonly groups?: readonly string[];
}

/** Writes keys, certificates, tokens and the administrator's kubeconfig into `directory`. */
export function layOut(directory: string, ports: readonly number[], users: readonly TokenUser[]) {
  const [etcdPort, peerPort, serverPort, managerPort] = ports;
  const authority = certificateAuthority('kubectl-gc-test');
  const adminToken = randomBytes(16).toString('hex');
  const serving = issueCertificate(authority, {
    commonName: 'kube-apiserver',
    addresses: [loopback, '10.0.0.1'],
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default.svc'],
  });
  const admin = { token: adminToken, user: 'admin', groups: ['system:masters'] };
  const tokens = [admin, ...users].map(
    ({ token, user, groups = [] }) => `${token},${user},${user},"${groups.join()}"\n`,
  );
  const server = `https://${loopback}:${serverPort}`;
  const files = {
    'ca.crt': authority.certificate,
    'ca.key': authority.key,
    'serving.crt': serving.certificate,
    'serving.key': serving.key,
    'service-account.key': signingKey(),
    'tokens.csv': tokens.join(''),
    kubeconfig: kubeconfig({ server, authority }, admin),
    'writes-policy.json': writesPolicy,
  };
  for (const [name, contents] of Object.entries(files)) {
    writeFileSync(join(directory, name), contents, { mode: 0o600 });
  }
  return {
    etcd: `http://${loopback}:${etcdPort}`,
    peer: `http://${loopback}:${peerPort}`,
    server,
    manager: `https://${loopback}:${managerPort}`,
    authority,
    adminToken,
    directory,
    kubeconfigPath: join(directory, 'kubeconfig'),
  };
}

/** Addresses and files of one control plane, before anything runs. */
type Layout = ReturnType<typeof layOut>;

export function etcdArgs({ etcd, peer }: Layout): string[] {
  return [
    '--data-dir=etcd',
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

export function apiServerArgs({ etcd, server }: Layout, version: string): string[] {
  // From v1.37 on a loopback address is refused; nothing connects to this one.
  const advertised = (minorOf(version) ?? 0) >= 37 ? '192.0.2.1' : loopback;
  return [
    `--etcd-servers=${etcd}`,
    `--secure-port=${new URL(server).port}`,
    `--bind-address=${loopback}`,
    `--advertise-address=${advertised}`,
    '--tls-cert-file=serving.crt',
    '--tls-private-key-file=serving.key',
    '--client-ca-file=ca.crt',
    '--token-auth-file=tokens.csv',
    '--authorization-mode=RBAC',
    '--service-account-key-file=service-account.key',
    '--service-account-signing-key-file=service-account.key',
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-cluster-ip-range=10.0.0.0/16',
    // So that pods need no ServiceAccount.
    '--disable-admission-plugins=ServiceAccount',
    '--audit-policy-file=writes-policy.json',
    `--audit-log-path=${writesLog}`,
  ];
}

export function controllerManagerArgs({ manager }: Layout): string[] {
  return [
    '--kubeconfig=kubeconfig',
    '--leader-elect=false',
    `--secure-port=${new URL(manager).port}`,
    `--bind-address=${loopback}`,
    '--tls-cert-file=serving.crt',
    '--tls-private-key-file=serving.key',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
    '--root-ca-file=ca.crt',
    '--cluster-signing-cert-file=ca.crt',
    '--cluster-signing-key-file=ca.key',
    '--service-account-private-key-file=service-account.key',
  ];
}
