import { describe, expect, test } from 'vitest';
import { gc } from '../support/run-gc.ts';
import { gcHere } from '../support/run-here.ts';

const file = '--from test/fixtures/clusters/orphaned-replicaset.yaml';
/** Nothing listens there: whoever gets as far as asking a server answers 3. */
const nobody = '-s http://127.0.0.1:1';

/** Command line, message, what to do. */
const cases: readonly [string, string, string?][] = [
  [
    `owners frobs/x ${file}`,
    'the input doesn\'t have a resource type "frobs"',
    'See what the input holds: kubectl gc snapshot info FILE',
  ],
  [
    `tree deploymnets/web ${file}`,
    'the input doesn\'t have a resource type "deploymnets"',
    'Did you mean deployments.apps?',
  ],
  [
    'completion bash',
    'Unexpected argument: bash',
    'See --help for the flags and arguments it takes.',
  ],
  [
    `orphans pod/web ${file}`,
    'this command takes kinds, not names: pod/web',
    'To look at one object: kubectl gc owners pod/web --from test/fixtures/clusters/orphaned-replicaset.yaml',
  ],
  [
    `tree ${file}`,
    'You must provide one or more objects by argument or filename: TYPE/NAME or TYPE NAME.',
    'For example: kubectl gc tree deployment/web',
  ],
  [
    `owners ${file}`,
    'You must provide one or more objects by argument or filename: TYPE/NAME or TYPE NAME.',
    'For example: kubectl gc owners deployment/web',
  ],
  [
    `owners pod/ ${file}`,
    'arguments in resource/name form must have a single resource and name: pod/',
    'Write TYPE/NAME, for example deployment/web.',
  ],
  [
    `owners pod/a rs ${file}`,
    'there is no need to specify a resource type as a separate argument when passing arguments in resource/name form: rs',
    'Write every object as TYPE/NAME, or one TYPE followed by names.',
  ],
  [`tree helm/web ${file}`, 'helm/RELEASE is read from a cluster: files keep no data of Secrets'],
  [`tree helm/web pod/a ${nobody}`, 'helm/RELEASE stands alone'],
  [`tree pod/web -l app=web ${file}`, 'name cannot be provided when a selector is specified'],
  [
    `owners pod/a -f x.yaml ${file}`,
    'when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well',
  ],
  [
    `tree pods -l app=(web ${nobody}`,
    'unable to parse requirement "app=(web" of label selector "app=(web"',
    "Write it as kubectl does: -l 'app=web,tier in (a,b),!canary'.",
  ],
  [
    `orphans -l app=(web ${nobody}`,
    'unable to parse requirement "app=(web" of label selector "app=(web"',
    "Write it as kubectl does: -l 'app=web,tier in (a,b),!canary'.",
  ],
  [
    `invalid-ownerrefs --field-selector spec.hostIP=a ${nobody}`,
    'field label not supported: spec.hostIP',
    'Write --field-selector metadata.name=web, or select by labels with -l.',
  ],
  [
    `owners pod/a -o xml ${nobody}`,
    'unable to match a printer suitable for the output format "xml"',
    'Allowed formats are: table, wide, json, yaml, name, tree, dot, mermaid, svg, html.',
  ],
  [
    `orphans -o dot ${nobody}`,
    'unable to match a printer suitable for the output format "dot"',
    'Allowed formats are: table, wide, json, yaml, name, html.',
  ],
  [
    `invalid-ownerrefs -o tree ${nobody}`,
    'unable to match a printer suitable for the output format "tree"',
    'Allowed formats are: table, wide, json, yaml, name.',
  ],
  [
    `tree pod/a --now yesterday ${nobody}`,
    '--now "yesterday" is not a time',
    'Write it as RFC 3339: 2026-01-31T12:00:00Z.',
  ],
  [
    `orphans --now 2026-01-31 ${nobody}`,
    '--now "2026-01-31" is not a time',
    'Write it as RFC 3339: 2026-01-31T12:00:00Z.',
  ],
  [
    `snapshot save - --now 2026-13-31T12:00:00Z ${file}`,
    '--now "2026-13-31T12:00:00Z" is not a time',
    'Write it as RFC 3339: 2026-01-31T12:00:00Z.',
  ],
  [`snapshot save ${file}`, 'You must name one file to write to.', 'A - writes to stdout.'],
  [`snapshot save a b ${file}`, 'You must name one file to write to.', 'A - writes to stdout.'],
  [
    'snapshot info',
    'You must name a file to read.',
    'To save what a cluster has: kubectl gc snapshot save cluster.json.gz',
  ],
  ['orphans --from=', 'a file name is empty', 'Name a file, a folder, or - for stdin.'],
  ['orphans --from - --from -', 'standard input ("-") can be read only once'],
  ['tree -f - --from -', 'standard input ("-") can be read only once'],
  ['simulate --scenario - --from -', 'standard input ("-") can be read only once'],
  [
    `tree pod/a --namspace x ${file}`,
    'unknown flag: --namspace',
    'Did you mean --namespace?\n  See --help for the flags and arguments it takes.',
  ],
  [
    `tree pod/a --colour ${file} -Z`,
    'unknown flag: --colour, -Z',
    'Did you mean --color?\n  See --help for the flags and arguments it takes.',
  ],
  [
    `owners pod/a -A ${file}`,
    'unknown flag: -A',
    'See --help for the flags and arguments it takes.',
  ],
  [
    `delete pod/a --max-deletes x ${file}`,
    '--max-deletes "x" is not a number of objects',
    'Give a whole number from 0 on: --max-deletes 20.',
  ],
  [
    `owners pod/a --unmanaged ${file}`,
    'unknown flag: --unmanaged',
    'See --help for the flags and arguments it takes.',
  ],
  [
    `orphans -A=perhaps ${file}`,
    'invalid argument "perhaps" for "--all-namespaces" flag: it must be true or false',
  ],
  ['orphans --namespace', 'flag needs an argument: --namespace', 'See --help.'],
  ['orphans -A -n', 'flag needs an argument: -n', 'See --help.'],
  ...['audit --from -A', 'orphans --from -A', 'tree pod/a --from --now'].map(
    (line): [string, string, string] => [
      line,
      'flag needs an argument: --from',
      'See --help for the flags and arguments it takes.',
    ],
  ),
  [
    `invalid-ownerrefs --yes ${file}`,
    'All of the following must be provided when using --yes: --fix',
    'See --help for the flags and arguments it takes.',
  ],
  [
    'orphans -A --request-timeout soon',
    '--request-timeout "soon" is not a duration',
    'Write whole seconds or a number with a unit: 30, 30s, 1m30s; 0 waits without limit.',
  ],
  [
    `orphans --field-selector __proto__=x ${nobody}`,
    'field label not supported: __proto__',
    'Write --field-selector metadata.name=web, or select by labels with -l.',
  ],
  [
    `orphans --field-selector constructor=x ${nobody}`,
    'field label not supported: constructor',
    'Write --field-selector metadata.name=web, or select by labels with -l.',
  ],
  [
    `orphans --field-selector hasOwnProperty=x ${nobody}`,
    'field label not supported: hasOwnProperty',
    'Write --field-selector metadata.name=web, or select by labels with -l.',
  ],
  [
    'constructor',
    'unknown command "constructor" for "kubectl gc"',
    'See the commands: kubectl gc --help',
  ],
  [
    '__proto__ x',
    'unknown command "__proto__" for "kubectl gc"',
    'See the commands: kubectl gc --help',
  ],
  [
    'help toString',
    'unknown command "toString" for "kubectl gc"',
    'See the commands: kubectl gc --help',
  ],
  [
    `podgc-preview -A --apply --yes --no-headers --sort-by .object.name ${nobody}`,
    '--no-headers=true cannot also be provided when using --apply',
    'See --help for the flags and arguments it takes.',
  ],
  [
    `forecast -A --collector csr-cleaner --apply -o custom-columns=A:.kind ${nobody}`,
    '-o custom-columns=A:.kind cannot be used with --apply: it shows a plan, not the list',
  ],
  [`orphans --toString ${file}`, 'unknown flag: --toString', 'See --help.'],
  [`orphans --valueOf=x ${file}`, 'unknown flag: --valueOf=x', 'See --help.'],
];

describe('wrong usage is told on stderr alone, and the exit code is 2', () => {
  test.each(cases)('gc %s', async (line, message, hint) => {
    const stderr = `error: ${message}\n${hint ? `  ${hint}\n` : ''}`;
    expect(await gcHere(line)).toEqual({ code: 2, stdout: '', stderr });
  });

  test('the exit code is that of the process', async () => {
    expect((await gc(`owners frobs/x ${file}`)).code).toBe(2);
  });

  test('only -v shows where it was found', async () => {
    const { code, stdout, stderr } = await gc('owners pod/x --from /nowhere -v');
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^GcError: nothing could be read from \/nowhere/m);
    expect(stderr).toMatch(/^ {4}at /m);
    // A wrong command line is no matter of the program.
    for (const line of [`owners frobs/x ${file}`, '-n shop', `tree pod/x --colour ${file}`]) {
      expect(await gcHere(`${line} -v`)).toEqual(await gcHere(line));
    }
  });
});
