/** Asks on the terminal, as kubectl does; only y or Y is a yes. Without a terminal nobody can agree. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await prompt.question(`${question} (y/N): `);
    return /^y$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}
