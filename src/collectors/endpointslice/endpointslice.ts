import type { Collector } from '../collector.ts';
import { orphanedEndpoints } from './endpoints.ts';
import { mirroredSlices } from './mirrored-slices.ts';
import { serviceSlices } from './service-slices.ts';

/** EndpointSlices of Services, those mirrored from Endpoints, and Endpoints themselves (OTH-1 to OTH-4). */
export const endpointSlice: Collector = {
  id: 'endpointslice',
  controllers: [
    'endpointslice-controller',
    'endpointslice-mirroring-controller',
    'endpoints-controller',
  ],
  reads: ['endpointslices.discovery.k8s.io', 'services', 'endpoints'],
  decide: (view, _settings, now) => [
    ...serviceSlices(view, now),
    ...mirroredSlices(view, now),
    ...orphanedEndpoints(view, now),
  ],
};
