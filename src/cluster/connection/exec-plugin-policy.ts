import { accessSync, constants, statSync } from 'node:fs';
import { basename, delimiter, extname, isAbsolute, join, normalize, sep } from 'node:path';
import { GcError } from '../../errors.ts';
import { type Kuberc, readKuberc } from '../../files/kuberc.ts';
import type { ClientEnvironment } from './client-environment.ts';

/** Throws unless the user's kuberc lets the plugin run (`credentialPluginPolicy`). */
export async function assertPluginAllowed(
  command: string,
  environment: ClientEnvironment,
): Promise<void> {
  const { env, remark } = environment;
  const kubercs = await readKuberc(environment, (text) => remark?.(`Warning: ${text}`));
  for (const kuberc of kubercs) assertAllowedBy(kuberc, command, env);
}

function assertAllowedBy(kuberc: Kuberc, command: string, env: Environment): void {
  const { path, apiVersion, credentialPluginPolicy: policy } = kuberc;
  const denied = (why: string, suggestion: string) =>
    new GcError(`the credential plugin ${command} may not run: the kuberc ${path} ${why}`, {
      code: 'exec-plugin-denied',
      suggestions: [suggestion],
    });
  if (policy === undefined) {
    throw denied(
      `is of the unknown version ${apiVersion}, which may deny it`,
      'Update kubectl gc, set credentialPluginPolicy to AllowAll in the kuberc, or set KUBERC=off.',
    );
  }
  if (policy === '' || policy === 'AllowAll') return;
  if (policy === 'Allowlist' && isListed(command, allowlist(kuberc), env)) return;
  throw denied(
    `says ${policy}`,
    'Change credentialPluginPolicy or credentialPluginAllowlist in the kuberc.',
  );
}

function allowlist({ credentialPluginAllowlist: commands, path }: Kuberc): readonly string[] {
  if (commands.length > 0 && !commands.includes('')) return commands;
  throw new GcError(
    `the kuberc ${path} has an empty or incomplete credentialPluginAllowlist, so no credential plugin may run`,
    {
      code: 'kuberc-invalid',
      suggestions: ['Give every entry a command, or set credentialPluginPolicy to DenyAll.'],
    },
  );
}

function isListed(named: string, allowed: readonly string[], env: Environment): boolean {
  const command = normalize(named);
  const path = lookPath(command, env);
  if (allowed.includes(command) || (path !== undefined && allowed.includes(path))) return true;
  if (path === undefined) return false;
  return allowed.some(
    (entry) => basename(entry) === basename(path) && lookPath(entry, env) === path,
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The executable file that a command means, searched in PATH unless it is a path; undefined when
 * there is none. As in Go, a hit in the working directory does not count.
 */
export function lookPath(command: string, env: Environment): string | undefined {
  if (command.includes(sep) || command.includes('/')) {
    return candidates(command, env).find(isExecutable);
  }
  const directories = (env.PATH ?? env.Path ?? '').split(delimiter).filter(isAbsolute);
  return directories
    .flatMap((directory) => candidates(join(directory, command), env))
    .find(isExecutable);
}

/** On Windows a file without an extension is no program, as in Go: beside `aws.exe` may lie a script `aws`. */
function candidates(path: string, env: Environment): readonly string[] {
  if (process.platform !== 'win32') return [path];
  const extensions = (env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';');
  const named = extensions.map((extension) => path + extension);
  return extname(path) === '' ? named : [path, ...named];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
