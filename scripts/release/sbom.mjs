// The SBOM of a release, in CycloneDX: npm's own, narrowed to what the bundle contains, and the Nodes inside.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesIn } from '../third-party.mjs';

export function bundledSbom(root, platforms) {
  const line = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--package-lock-only',
  ];
  const document = JSON.parse(
    execFileSync('npm', line, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const bundled = packagesIn(readFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8'));
  const refs = new Set(bundled.map(({ name, version }) => `${name}@${version}`));
  const components = document.components
    .filter((component) => refs.has(component['bom-ref']))
    // It is a development dependency of the checkout, but not of what is released.
    .map(({ scope: _, properties: __, ...component }) => component);
  const missing = [...refs].filter((ref) => !components.some((one) => one['bom-ref'] === ref));
  if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}`);
  const nodes = platforms.map(({ node, sha256 }) => ({
    'bom-ref': node,
    type: 'platform',
    name: node.replace(/@.*$/, ''),
    version: node.replace(/^.*@/, ''),
    purl: `pkg:npm/${node}`,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    licenses: [{ license: { id: 'MIT' } }],
  }));
  const { metadata, serialNumber: _, ...rest } = document;
  const { timestamp: __, ...told } = metadata;
  const own = metadata.component['bom-ref'];
  const content = {
    ...rest,
    metadata: told,
    components: [...components, ...nodes],
    dependencies: [
      { ref: own, dependsOn: [...refs, ...nodes.map((one) => one['bom-ref'])] },
      ...document.dependencies
        .filter(({ ref }) => refs.has(ref))
        .map(({ ref, dependsOn }) => ({
          ref,
          dependsOn: dependsOn.filter((one) => refs.has(one)),
        })),
    ],
  };
  return `${JSON.stringify({ ...content, serialNumber: serialNumberOf(content) }, null, 2)}\n`;
}

/** A UUID of the content, so that the same release has the same one. */
function serialNumberOf(content) {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return `urn:uuid:${[...parts, hex.slice(20, 32)].join('-')}`;
}
