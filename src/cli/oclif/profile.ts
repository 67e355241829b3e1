import { GcError, usageError } from '../../errors.ts';

/** Runs a command, and writes the profile of it that `--profile` asks for. */
export async function profiled(args: readonly string[], command: () => Promise<unknown>) {
  const kind = flagValue(args, 'profile') ?? 'none';
  if (kind === 'none') return command();
  const recorder = recorders[kind];
  if (recorder === undefined) throw unknownProfile(kind);
  const { Session } = await import('node:inspector/promises');
  const { writeFile } = await import('node:fs/promises');
  const session = new Session();
  session.connect();
  await session.post(recorder.enable);
  await session.post(recorder.start);
  try {
    return await command();
  } finally {
    const result: unknown = await session.post(recorder.stop);
    const { profile } = result as { readonly profile: object };
    session.disconnect();
    const file = flagValue(args, 'profile-output') ?? 'profile.pprof';
    await writeFile(file, JSON.stringify(profile)).catch((cause: Error) => {
      throw new GcError(`cannot write the profile ${file}: ${cause.message}`, {
        code: 'cannot-write',
        cause,
      });
    });
  }
}

/** Both sample: neither holds what the program read. */
const recorders: Readonly<Record<string, Record<'enable' | 'start' | 'stop', string>>> = {
  cpu: { enable: 'Profiler.enable', start: 'Profiler.start', stop: 'Profiler.stop' },
  heap: {
    enable: 'HeapProfiler.enable',
    start: 'HeapProfiler.startSampling',
    stop: 'HeapProfiler.stopSampling',
  },
};

const ofGo = ['goroutine', 'threadcreate', 'block', 'mutex', 'trace'];

function unknownProfile(kind: string) {
  return usageError(
    'unknown-profile',
    ofGo.includes(kind)
      ? `the profile '${kind}' is of Go, and kubectl gc runs on Node`
      : `unknown profile '${kind}'`,
    'Profiles are: none, cpu, heap.',
  );
}

/** The arguments are normalised: a flag that has a value is written with `=`. */
function flagValue(args: readonly string[], flag: string): string | undefined {
  return args.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3);
}
