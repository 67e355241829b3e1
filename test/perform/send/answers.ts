import type { Answer, FakeCluster, FakeRequest } from './fake-cluster.ts';
import { perform, told } from './plans.ts';

/** Answers the first DELETEs of a name in the cluster's place. */
export function answering(cluster: FakeCluster, name: string, answers: (Answer | Error)[]): void {
  cluster.before = ({ method, path }: FakeRequest) => {
    if (method !== 'DELETE' || !path.endsWith(`/${name}`)) return undefined;
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
}

export function failure(
  status: number,
  reason: string,
  message: string,
  details: object = {},
): Answer {
  return { status, body: { kind: 'Status', reason, message, details } };
}

/** What was told of requests, without what was observed. */
export async function sendingOf(
  cluster: FakeCluster,
  ...args: Parameters<typeof perform> extends [unknown, ...infer Rest] ? Rest : never
): Promise<string[]> {
  const events = await perform(cluster, ...args);
  return told(events).filter((line) => /^(sent|skipped|refused|retrying|done)/.test(line));
}
