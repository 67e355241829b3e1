import { X509Certificate } from 'node:crypto';
import { certificateAuthority, issueCertificate } from '../certificates.ts';
import {
  condition,
  inCluster,
  inShop,
  keeping,
  later,
  type ObjectWithFacts,
  precisely,
} from './object-with-facts.ts';

const { certificate } = issueCertificate(certificateAuthority('facts'), { commonName: 'web' });
const notAfter = new Date(new X509Certificate(certificate).validTo)
  .toISOString()
  .replace('.000Z', 'Z');

const targetRef = (name: string) => ({ kind: 'Pod', namespace: 'shop', name, uid: `uid-${name}` });
const attachment = { attacher: 'd.example.com', nodeName: 'node-a' };
const device = {
  driver: 'd.example.com',
  pool: 'w1',
  device: 'gpu-0',
  tolerations: [{ key: 'hot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }],
};
const taintedDevice = {
  name: 'gpu-0',
  taints: [{ key: 'hot', effect: 'NoExecute', timeAdded: later }],
};

export const others: readonly ObjectWithFacts[] = [
  {
    what: 'with a certificate',
    object: inCluster('CertificateSigningRequest', 'certificates.k8s.io/v1', 'issued', {
      spec: {
        request: 'aHVzaA==',
        signerName: 'example.com/signer',
        expirationSeconds: 3600,
        usages: ['client auth'],
        username: 'hush',
      },
      status: {
        conditions: [{ ...condition, type: 'Approved', lastUpdateTime: later }],
        certificate: Buffer.from(certificate).toString('base64'),
      },
    }),
    facts: {
      signerName: 'example.com/signer',
      expirationSeconds: 3600,
      conditions: [{ ...condition, type: 'Approved', lastUpdateTime: later }],
      certificate: { notAfter },
    },
  },
  {
    what: 'with an unreadable certificate',
    object: inCluster('CertificateSigningRequest', 'certificates.k8s.io/v1', 'broken', {
      spec: { request: 'aHVzaA==', signerName: 'example.com/signer', usages: ['client auth'] },
      status: { certificate: 'aHVzaA==' },
    }),
    facts: { signerName: 'example.com/signer', certificate: {} },
  },
  keeping('that is renewed', 'coordination.k8s.io/v1 Lease shop/leader', {
    spec: {
      holderIdentity: 'web-1',
      leaseDurationSeconds: 15,
      acquireTime: precisely,
      renewTime: '2026-01-01T00:00:01.000000Z',
    },
    forgotten: { spec: { leaseTransitions: 3 } },
  }),
  {
    what: 'with two targets',
    object: inShop('EndpointSlice', 'discovery.k8s.io/v1', 'web-1', {
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['10.0.0.1'], conditions: {}, targetRef: targetRef('web-1') },
        { addresses: ['10.0.0.2'], conditions: {} },
        { addresses: ['10.0.0.3'], conditions: {}, targetRef: targetRef('web-2') },
      ],
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    }),
    facts: {
      addressType: 'IPv4',
      endpoints: [{ targetRef: targetRef('web-1') }, {}, { targetRef: targetRef('web-2') }],
    },
  },
  {
    what: 'that is in use',
    object: inShop('ResourceClaim', 'resource.k8s.io/v1', 'gpu', {
      spec: { devices: {} },
      status: {
        allocation: {
          devices: {
            results: [{ request: 'gpu', ...device }],
          },
        },
        reservedFor: [{ resource: 'pods', name: 'web-1', uid: 'uid-web-1' }],
      },
    }),
    facts: {
      allocated: true,
      devices: [device],
      reservedFor: [{ resource: 'pods', name: 'web-1', uid: 'uid-web-1' }],
    },
  },
  {
    what: 'of tainted devices',
    object: inCluster('ResourceSlice', 'resource.k8s.io/v1', 'w1-gpus', {
      spec: {
        driver: 'd.example.com',
        nodeName: 'w1',
        pool: { name: 'w1', generation: 3, resourceSliceCount: 1 },
        devices: [taintedDevice, { name: 'gpu-1' }],
      },
    }),
    facts: {
      devicePool: {
        driver: 'd.example.com',
        pool: 'w1',
        generation: 3,
        tainted: [taintedDevice],
      },
    },
  },
  keeping('of a volume', 'storage.k8s.io/v1 VolumeAttachment attached', {
    status: { attached: true },
    forgotten: {
      spec: { ...attachment, source: { persistentVolumeName: 'pv-csi' } },
      status: { attachmentMetadata: { token: 'hush' } },
    },
    facts: { attachment: { ...attachment, persistentVolumeName: 'pv-csi' } },
  }),
  {
    what: 'with drivers',
    object: inCluster('CSINode', 'storage.k8s.io/v1', 'node-a', {
      spec: {
        drivers: [
          { name: 'd.example.com', nodeID: 'a', topologyKeys: null },
          { name: 'e.example.com', nodeID: 'b', topologyKeys: null },
        ],
      },
    }),
    facts: { csiDrivers: ['d.example.com', 'e.example.com'] },
  },
];
