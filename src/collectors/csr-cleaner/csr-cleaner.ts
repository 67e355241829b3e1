import type { Collector } from '../collector.ts';
import { deletion } from '../decide.ts';
import { passesFrom } from '../passes.ts';
import { csrExpiry } from './expiry.ts';

const id = 'csr-cleaner';
const resource = 'certificatesigningrequests.certificates.k8s.io';
const hour = 3_600_000;

/** Looks at every request once an hour; its first look, at the start, sees nothing yet (CSR-1, CSR-2). */
export const csrCleaner: Collector = {
  id,
  controllers: ['certificatesigningrequest-cleaner-controller'],
  reads: [resource],
  decide(view, _settings, now, memory) {
    return view.all(resource).flatMap((csr) => {
      const expiry = csr.facts && csrExpiry(csr);
      if (!expiry) return [];
      const range = passesFrom(id, { period: hour, afterStart: hour }, expiry.at, now, memory);
      return [deletion(id, csr, { ...range, because: expiry.because, rule: 'CSR-3' })];
    });
  },
};
