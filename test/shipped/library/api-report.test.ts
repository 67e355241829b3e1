import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../support/command-line.ts';

/** With UPDATE_DOCS=1 the report is rewritten: read its diff, and say in CHANGELOG.md what changed. */
test('docs/library.api.md is the interface of the library', { timeout: 180_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-gc-api-'));
  try {
    const quiet = { default: { logLevel: 'none' } };
    const types = join(root, 'dist/types/index.d.ts');
    writeFileSync(join(folder, 'package.json'), '{"name":"kubectl-gc","version":"0.0.0"}');
    writeFileSync(
      join(folder, 'api-extractor.json'),
      JSON.stringify({
        projectFolder: root,
        mainEntryPointFilePath: types,
        compiler: {
          overrideTsconfig: {
            compilerOptions: {
              target: 'es2022',
              module: 'nodenext',
              moduleResolution: 'nodenext',
              types: ['node'],
              strict: true,
            },
            files: [types],
          },
        },
        apiReport: {
          enabled: true,
          includeForgottenExports: true,
          reportFileName: 'library.api.md',
          reportFolder: folder,
          reportTempFolder: join(folder, 'temp'),
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: {
          compilerMessageReporting: { default: { logLevel: 'error' } },
          extractorMessageReporting: quiet,
          tsdocMessageReporting: quiet,
        },
      }),
    );
    const program = join(root, 'node_modules/@microsoft/api-extractor/bin/api-extractor');
    const line = [program, 'run', '--local', '-c', join(folder, 'api-extractor.json')];
    await promisify(execFile)(process.execPath, line, { cwd: folder });
    // Warnings name files by their whole path.
    const report = readFileSync(join(folder, 'library.api.md'), 'utf8')
      .replaceAll('\r\n', '\n')
      .replaceAll(join(root, '/'), '');
    const kept = join(root, 'docs/library.api.md');
    if (process.env.UPDATE_DOCS) writeFileSync(kept, report);
    else expect(report).toBe(readFileSync(kept, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
