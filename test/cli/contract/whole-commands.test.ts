import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isUnderstood, printedCommands } from '../../support/printed-commands.ts';
import { gcHere } from '../../support/run-here.ts';
import { argumentsIn } from '../../support/run-in-shell.ts';
import { screens } from '../../support/screens.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { playTranscript, transcripts } from '../../support/transcripts.ts';

/**
 * Whatever is printed for people, a command in it can be pasted: it ends its line or its cell, whole, at any width, and its
 * words are those of kubectl, or of a command of ours with flags that it has. One that asks files is run as it stands.
 */
const folder = temporaryFolder();
const widths = [40, 80, 120];
/** Programs read these formats, and they have no width. */
const isDocument = /(?:-o|--output)[ =]?(?:json|yaml|sarif|junit|git|markdown|html|svg|prom)/;

/** The commands in what a command line prints; `columns`: how wide the terminal is. */
async function commandsIn(line: string, columns?: number): Promise<string[]> {
  const env = {
    NO_COLOR: '1',
    KUBECTL_GC_BACKUP_DIR: join(folder, 'backups'),
    ...(columns !== undefined && { COLUMNS: `${columns}` }),
  };
  const { stdout, stderr } = await gcHere(line.replaceAll('FOLDER', folder), env);
  return printedCommands(`${stdout}\n${stderr}`);
}

/** What is wrong with each command that a command line prints, or with what is left of it at some width. */
async function faultsOf(line: string): Promise<string[]> {
  const commands = isDocument.test(line) ? [] : await commandsIn(line);
  const faults: string[] = [];
  for (const command of new Set(commands)) {
    const words = argumentsIn(command);
    if (!(await isUnderstood(words))) faults.push(`${line} printed: ${command}`);
    else if (!isForm(words, line))
      faults.push(
        ...(await faultsOfRun(words)).map((fault) => `${line} printed: ${command}: ${fault}`),
      );
  }
  for (const columns of commands.length > 0 ? widths : []) {
    const there = await commandsIn(line, columns);
    const broken = there.filter((command) => !commands.includes(command));
    faults.push(...broken.map((part) => `${line} at ${columns} columns printed: ${part}`));
  }
  return faults;
}

/** Does it stand for others, with `PATH` or `deployment/web` in the place of a name, or repeat what was asked for? */
function isForm(words: readonly string[], line: string): boolean {
  return words.some(
    (word) =>
      word === 'PATH' || word === 'deployment/web' || (/\/web$/.test(word) && line.includes(word)),
  );
}

/** Run before: many lines print the same command. */
const ran = new Map<string, readonly string[]>();

/** What is wrong with the answer of a command that asks files, as it stands; one that writes a file is not run. */
async function faultsOfRun([program, ...words]: readonly string[]): Promise<readonly string[]> {
  const readsFiles = words.some((word) => /^--from(=|$)/.test(word));
  const writes = words.some((word) => /^(save|export|--plan|--update-baseline)(=|$)/.test(word));
  const asksCluster = words.includes('--against-cluster');
  if (program !== 'gc' || !readsFiles || asksCluster || writes) return [];
  const known = ran.get(words.join(' '));
  if (known) return known;
  const { code, stdout, stderr } = await gcHere(words, { NO_COLOR: '1' });
  const isDone = code !== 2 && !/^error:|^(?!Warning:).*not found|^No \S+ found/m.test(stderr);
  const faults = isDone && stdout + stderr !== '' ? [] : [`exit code ${code}, ${stderr.trim()}`];
  ran.set(words.join(' '), faults);
  return faults;
}

describe('every printed command is whole at any width, and can be pasted', () => {
  test.each(readdirSync(transcripts))('of the transcript %s', async (name) => {
    const faults: string[] = [];
    await playTranscript(name, folder, async (line) => {
      faults.push(...(await faultsOf(line)));
      return [];
    });
    expect(faults).toEqual([]);
  });

  test.each(Object.entries(screens))('of the screen %s', async (_, line) => {
    expect(await faultsOf(line)).toEqual([]);
    expect(await faultsOf(`${line} -o wide`)).toEqual([]);
  });
});
