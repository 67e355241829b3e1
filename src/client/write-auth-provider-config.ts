import { open, readFile, rm, writeFile } from 'node:fs/promises';

/**
 * Writes an auth-provider's renewed config into the kubeconfig it came from, comments and order
 * kept. Takes kubectl's own lock, so that neither overwrites the other; rejects when it is taken,
 * when the file cannot be written, or when the user is gone from it.
 */
export async function writeAuthProviderConfig(
  file: string,
  userName: string,
  config: Readonly<Record<string, string>>,
): Promise<void> {
  const { isMap, isSeq, parseDocument } = await import('yaml');
  const lock = `${file}.lock`;
  await (await open(lock, 'wx', 0o600)).close();
  try {
    const document = parseDocument(await readFile(file, 'utf8'), {
      uniqueKeys: false,
      merge: true,
    });
    const users = document.get('users');
    const index = isSeq(users)
      ? users.items.findIndex((item) => isMap(item) && item.get('name') === userName)
      : -1;
    if (index < 0) throw new Error(`user "${userName}" is not in ${file}`);
    for (const [key, value] of Object.entries(config)) {
      document.setIn(['users', index, 'user', 'auth-provider', 'config', key], value);
    }
    // In place, because the file may be a link, and its owner and mode are to stay.
    await writeFile(file, document.toString({ lineWidth: 0, indentSeq: false }));
  } finally {
    await rm(lock, { force: true });
  }
}
