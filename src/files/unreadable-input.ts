/** Nothing in the input can be read as text. */
export class NotText extends Error {
  override readonly name = 'NotText';
}

/** Why an input cannot be read, in words; undefined when that is not what the error is about. */
export function reasonUnreadable(error: unknown): string | undefined {
  if (error instanceof NotText) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'it does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'ELOOP':
      return 'its links go round in circles';
    default:
      return typeof code === 'string' ? `the system says ${code}` : undefined;
  }
}
