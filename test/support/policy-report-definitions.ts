import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/kube/record-codec.ts';

/** Modules that bring the definitions, at versions that the module proxy has. */
const modules = {
  'github.com/kyverno/kyverno@v1.13.4': [
    'config/crds/policyreport/wgpolicyk8s.io_policyreports.yaml',
    'config/crds/policyreport/wgpolicyk8s.io_clusterpolicyreports.yaml',
  ],
  'github.com/openreports/reports-api@v0.2.1': [
    'config/crd/openreports.io_reports.yaml',
    'config/crd/openreports.io_clusterreports.yaml',
  ],
} as const;

/** The CustomResourceDefinitions of both APIs of policy reports as they are published; Go keeps them in its cache. */
export function policyReportDefinitions(): KubeObject[] {
  return Object.entries(modules).flatMap(([module, files]) => {
    const answer = execFileSync('go', ['mod', 'download', '-json', module], { encoding: 'utf8' });
    const { Dir } = JSON.parse(answer) as { readonly Dir: string };
    return files.map((file) => parse(readFileSync(join(Dir, file), 'utf8')) as KubeObject);
  });
}
