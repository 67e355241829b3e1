import fc from 'fast-check';
import { inputSeed } from './input-seed.ts';

// A failure prints its seed.
fc.configureGlobal({ seed: inputSeed('KUBECTL_GC_PROPERTY_SEED') });
