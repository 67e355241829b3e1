/** What was told of a fix, with DIR for the folder by which it is undone, and without flags of the connection. */
export function withoutFolder(stderr: string): string {
  return stderr.replace(
    /^(To undo it: kubectl gc restore |The state before is saved in )\S+(?: --.*)?$/gm,
    '$1DIR',
  );
}

/** The folder itself. */
export function undoFolder(stderr: string): string {
  return /^To undo it: kubectl gc restore (\S+)(?: --.*)?$/m.exec(stderr)?.[1] ?? '';
}

export const undoLine = 'To undo it: kubectl gc restore DIR';
