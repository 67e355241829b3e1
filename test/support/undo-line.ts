/** What was told of a fix, with DIR for the folder by which it is taken back. */
export function withoutFolder(stderr: string): string {
  return stderr.replace(
    /^(To take it back: kubectl gc restore |How it was is kept in )\S+$/gm,
    '$1DIR',
  );
}

/** The folder itself. */
export function undoFolder(stderr: string): string {
  return /^To take it back: kubectl gc restore (\S+)$/m.exec(stderr)?.[1] ?? '';
}

export const undoLine = 'To take it back: kubectl gc restore DIR';
