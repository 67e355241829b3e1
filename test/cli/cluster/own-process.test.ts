import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { certificateAuthority, issueCertificate } from '../../support/certificates.ts';
import { writeKubeconfig } from '../../support/kubeconfig.ts';
import { mockTlsServer } from '../../support/mock-cluster.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const directory = temporaryFolder();

/** A program that connects with the environment it gets, as if it had a terminal. */
const program = `
import { connect } from ${JSON.stringify(new URL('../../../src/cluster/connection/connect.ts', import.meta.url).href)};
import { processEnvironment } from ${JSON.stringify(new URL('../../../src/cluster/connection/client-environment.ts', import.meta.url).href)};
const client = await connect({}, { ...processEnvironment(), stdinIsTerminal: true });
const { status } = await client.request({ path: '/version' });
console.log(status);
client.close();
`;

const plugin = `#!/bin/sh
printf 'Enter the code: ' >&2
read -r code
interactive=$(echo "$KUBERNETES_EXEC_INFO" | grep -o '"interactive":[a-z]*')
echo "$interactive" >&2
echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"$code\\"}}"
`;

test("trusts the system's authorities and lets a plugin talk to the user", async () => {
  const authority = certificateAuthority('company-ca');
  const server = await mockTlsServer(
    issueCertificate(authority, { commonName: 'server', addresses: ['127.0.0.1'] }),
  );
  try {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin',
      interactiveMode: 'IfAvailable',
    };
    writeKubeconfig(join(directory, 'config'), { server: server.url }, { exec });
    writeFileSync(join(directory, 'plugin'), plugin, { mode: 0o755 });
    writeFileSync(join(directory, 'ca.crt'), authority.certificate);
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: {
        HOME: directory,
        PATH: process.env.PATH,
        KUBECONFIG: join(directory, 'config'),
        SSL_CERT_FILE: join(directory, 'ca.crt'),
      },
    });
    child.stdin.end('123456\n');
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    const seen = server.take().map(({ authorization }) => authorization);
    expect({ stdout, stderr, seen }).toEqual({
      stdout: '200\n',
      stderr: 'Enter the code: "interactive":true\n',
      seen: ['Bearer 123456'],
    });
  } finally {
    await server.close();
  }
}, 60_000);
