// @ts-check

/**
 * @typedef {object} Tool a server that Coffer starts
 * @property {'nats' | 'temporal'} name also the name of the directory of its go.mod
 * @property {string} version of the archive and of the Go module
 * @property {string} binary
 * @property {string} goPackage
 * @property {string} urlSetting the setting with the address of a running server to use instead
 * @property {(goPlatform: string) => string} archive URL of the release archive
 * @property {string | null} checksums URL of the list of SHA-256 sums; null if `pinned` has all
 * @property {Record<string, string>} pinned SHA-256 of the archives by Go platform
 */

/** @type {Tool} */
export const nats = {
  name: 'nats',
  version: '2.15.2',
  binary: 'nats-server',
  goPackage: 'github.com/nats-io/nats-server/v2',
  urlSetting: 'COFFER_NATS_URL',
  archive: (goPlatform) =>
    'https://github.com/nats-io/nats-server/releases/download/v2.15.2/' +
    `nats-server-v2.15.2-${goPlatform}.tar.gz`,
  checksums: 'https://github.com/nats-io/nats-server/releases/download/v2.15.2/SHA256SUMS',
  pinned: {},
}

/** @type {Tool} */
export const temporal = {
  name: 'temporal',
  version: '1.5.1',
  binary: 'temporal',
  goPackage: 'github.com/temporalio/cli/cmd/temporal',
  urlSetting: 'COFFER_TEMPORAL_ADDRESS',
  archive: (goPlatform) =>
    'https://github.com/temporalio/cli/releases/download/v1.5.1/' +
    `temporal_cli_1.5.1_${goPlatform.replace('-', '_')}.tar.gz`,
  checksums: null,
  pinned: {
    'darwin-amd64': 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
    'darwin-arm64': 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
    'linux-amd64': 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
    'linux-arm64': 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
  },
}
