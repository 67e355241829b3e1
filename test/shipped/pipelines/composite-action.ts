import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { keptPackage } from '../../../scripts/release/executable.ts';
import { runLogged } from './project.ts';

/** GitHub's own evaluator of `${{ … }}`, as far as it is used here. */
interface Expressions {
  readonly Lexer: new (text: string) => { lex(): { readonly tokens: unknown } };
  readonly Parser: new (
    tokens: unknown,
    contexts: readonly string[],
    functions: readonly unknown[],
  ) => { parse(): unknown };
  readonly Evaluator: new (
    expression: unknown,
    contexts: unknown,
  ) => { evaluate(): { coerceString(): string } };
  readonly data: {
    readonly Dictionary: new (...pairs: readonly { key: string; value: unknown }[]) => unknown;
    readonly StringData: new (text: string) => unknown;
  };
}

export type Texts = Readonly<Record<string, string>>;
type Contexts = Readonly<Record<string, unknown>>;

export interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Texts;
  readonly env?: Texts;
}

interface Action {
  readonly inputs: Readonly<Record<string, { required?: boolean; default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

export interface ActionRun {
  /** Of the first step that failed; 0 when none did. */
  readonly code: number | null;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Texts;
  /** The actions that were used, with their inputs: they are not run. */
  readonly used: readonly { readonly uses: string; readonly with: Texts }[];
}

/** Runs the steps of a composite action as a runner of GitHub on Linux does. */
export async function runAction(options: {
  /** Where action.yml is. */
  readonly actionPath: string;
  readonly workspace: string;
  readonly inputs: Texts;
  readonly server: string;
  readonly searchPath: string;
}): Promise<ActionRun> {
  const { actionPath, workspace, server } = options;
  const action = parse(readFileSync(join(actionPath, 'action.yml'), 'utf8')) as Action;
  const temp = mkdtempSync(join(workspace, '..', 'runner temp '));
  const file = (name: string) => join(temp, `_${name}`);
  for (const name of ['output', 'path', 'summary']) writeFileSync(file(name), '');
  const inputs = Object.fromEntries(
    Object.entries(action.inputs).map(([name, input]) => {
      const value = options.inputs[name] ?? input.default;
      if (value === undefined) throw new Error(`the input ${name} is missing`);
      return [name, value];
    }),
  );
  const steps: Record<string, { outputs: Texts }> = {};
  const github = { action_repository: 'acme/kubectl-gc', repository: 'acme/shop' };
  const contexts = () => ({ inputs, steps, github });
  const expressions = await loadExpressions();
  const fill = (text: string) => filled(expressions, text, contexts());
  const used: { uses: string; with: Texts }[] = [];
  let log = '';
  let code: number | null = 0;
  for (const [index, step] of action.runs.steps.entries()) {
    if (code !== 0) break;
    if (step.if !== undefined && evaluated(expressions, step.if, contexts()) !== 'true') continue;
    if (step.uses !== undefined) {
      used.push({ uses: step.uses, with: mapped(step.with, fill) });
      continue;
    }
    const script = file(`step-${index}.sh`);
    writeFileSync(script, step.run ?? '');
    const added = readFileSync(file('path'), 'utf8').split('\n').filter(Boolean).reverse();
    const arch = process.arch === 'arm64' ? 'ARM64' : 'X64';
    const ended = await runLogged('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: workspace,
      env: {
        PATH: [...added, options.searchPath].join(':'),
        HOME: temp,
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_ACTION_PATH: actionPath,
        GITHUB_WORKSPACE: workspace,
        GITHUB_SERVER_URL: server,
        GITHUB_OUTPUT: file('output'),
        GITHUB_PATH: file('path'),
        GITHUB_STEP_SUMMARY: file('summary'),
        RUNNER_TEMP: temp,
        RUNNER_OS: 'Linux',
        RUNNER_ARCH: arch,
        ...mapped(step.env, fill),
      },
    });
    log += ended.log;
    code = ended.code;
    const lines = readFileSync(file('output'), 'utf8').split('\n').filter(Boolean);
    writeFileSync(file('output'), '');
    const pairs = lines.map((line) => [line.replace(/=.*/, ''), line.replace(/^[^=]*=/, '')]);
    if (step.id !== undefined) steps[step.id] = { outputs: Object.fromEntries(pairs) };
  }
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, fill(value)]);
  return {
    code,
    log,
    summary: readFileSync(file('summary'), 'utf8'),
    outputs: Object.fromEntries(outputs),
    used,
  };
}

function mapped(texts: Texts | undefined, fill: (text: string) => string): Texts {
  return Object.fromEntries(Object.entries(texts ?? {}).map(([key, text]) => [key, fill(text)]));
}

export async function loadExpressions(): Promise<Expressions> {
  const entry = join(keptPackage('@actions/expressions@0.3.61'), 'dist', 'index.js');
  return import(pathToFileURL(entry).href);
}

export function filled(expressions: Expressions, text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, inner: string) =>
    evaluated(expressions, inner, contexts),
  );
}

export function evaluated(
  { Lexer, Parser, Evaluator, data }: Expressions,
  text: string,
  contexts: Contexts,
): string {
  const dictionary = (value: unknown): unknown =>
    typeof value === 'string'
      ? new data.StringData(value)
      : new data.Dictionary(
          ...Object.entries(value as object).map(([key, inner]) => ({
            key,
            value: dictionary(inner),
          })),
        );
  const parsed = new Parser(new Lexer(text).lex().tokens, Object.keys(contexts), []).parse();
  return new Evaluator(parsed, dictionary(contexts)).evaluate().coerceString();
}
