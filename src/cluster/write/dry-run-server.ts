import { builtInTypes } from '../../kube/built-in-types.ts';
import { type Json, textAt } from '../../kube/json-value.ts';

/**
 * A server that stores nothing in a dry run. kube-apiserver is one. An aggregated API server may ignore `dryRun`, so a
 * group that is not built in needs an APIService that names no Service.
 */
export class DryRunServer {
  readonly #prefix: string;

  private constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The server behind a path; undefined where it is not known to be one. `read`: reads an APIService. */
  static async behind(
    path: string,
    read: (apiService: string) => Promise<Json | undefined>,
  ): Promise<DryRunServer | undefined> {
    const [, root = '', group = '', version = ''] = path.split('/');
    if (root === 'api') return new DryRunServer('/api/');
    const isBuiltIn = builtInTypes.some((type) => type.group === group);
    const served = isBuiltIn ? {} : await read(`${version}.${group}`);
    const isLocal = served !== undefined && textAt(served, 'spec.service.name') === '';
    return isLocal ? new DryRunServer(`/${root}/${group}/${version}/`) : undefined;
  }

  serves(path: string): boolean {
    return path.startsWith(this.#prefix);
  }
}
