import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RequestDeadlines } from '../../../src/cluster/connection/patience.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const second = 1000;
const silent = {};

test('an answer has 60 s, and a second more for every 16 KiB of it', () => {
  const answer = new RequestDeadlines(silent).begin('the server', 0);
  expect([0, 16 * 1024 - 1, 16 * 1024, 16 * 1024 * 1024].map(answer.allowed)).toEqual([
    60 * second,
    60 * second,
    61 * second,
    1084 * second,
  ]);
});

test('--request-timeout is the limit, whatever arrives', () => {
  const patience = new RequestDeadlines(silent);
  const [short, long] = [2, 300].map((seconds) => patience.begin('the server', seconds * second));
  expect([short?.allowed(1e9), long?.allowed(0)]).toEqual([2 * second, 300 * second]);
});

test('once a request has hung, the next ones have 5 s, until one is answered', () => {
  const patience = new RequestDeadlines(silent);
  const allowed = (timeout = 0) => {
    const answer = patience.begin('the server', timeout);
    const milliseconds = answer.allowed(0);
    answer.end('ended');
    return milliseconds;
  };
  const [first, other] = [patience.begin('the server', 0), patience.begin('the server', 0)];
  first.end('hung');
  const late = [allowed(), allowed(60 * second), allowed(second)];
  other.end('answered');
  expect([late, allowed(), allowed(60 * second)]).toEqual([
    [5 * second, 5 * second, second],
    60 * second,
    60 * second,
  ]);
});

test('a slow request is reported after 10 s, then every 30 s', () => {
  const said: string[] = [];
  const patience = new RequestDeadlines({ remark: (line) => said.push(line) });
  const [pods, secrets] = [patience.begin('pods', 0), patience.begin('secrets', 0)];
  vi.advanceTimersByTime(9 * second);
  expect(said).toEqual([]);
  vi.advanceTimersByTime(32 * second);
  pods.end('answered');
  vi.advanceTimersByTime(30 * second);
  secrets.end('answered');
  vi.advanceTimersByTime(100 * second);
  expect(said).toEqual([
    'Waiting for pods, and 1 more: 10 s so far',
    'Waiting for pods, and 1 more: 40 s so far',
    'Waiting for secrets: 70 s so far',
  ]);
});

test('many slow answers are reported once', () => {
  const said: string[] = [];
  const patience = new RequestDeadlines({ remark: (line) => said.push(line) });
  for (let round = 0; round < 4; round++) {
    const answer = patience.begin(`list ${round}`, 0);
    vi.advanceTimersByTime(12 * second);
    answer.end('answered');
  }
  expect(said).toEqual(['Waiting for list 0: 10 s so far', 'Waiting for list 3: 10 s so far']);
});
