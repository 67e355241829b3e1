import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';

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

function candidates(path: string, env: Environment): readonly string[] {
  if (process.platform !== 'win32') return [path];
  const extensions = (env.PATHEXT ?? '.COM;.EXE;.BAT;.CMD').split(';');
  return [path, ...extensions.map((extension) => path + extension)];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
