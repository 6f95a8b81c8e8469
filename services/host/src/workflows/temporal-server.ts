import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import { type ChannelCredentials, credentials, experimental } from '@grpc/grpc-js'

type TlsConfig = {
  serverRootCACertificate?: Buffer
  clientCertPair?: { crt: Buffer; key: Buffer }
}

/** Address of Temporal, and credentials. Each of the optional fields requires TLS. */
export interface TemporalServer {
  /** Host and port. */
  address: string
  /** File of CA certificates (PEM); `system` for those of Node. */
  caFile?: string | undefined
  /** Files of a client certificate and its key (PEM). */
  certificateFile?: string | undefined
  keyFile?: string | undefined
  apiKey?: string | undefined
  /** Interval in ms of checking the files for changes; 30 s by default. */
  renewMs?: number
}

/** Returns the problem of the settings of Temporal; null if they can be used. */
export function temporalFault(server: TemporalServer): string | null {
  const { address, certificateFile, keyFile } = server
  if (/[/,]/.test(address)) return 'COFFER_TEMPORAL_ADDRESS: must be host:port'
  if (!certificateFile === !keyFile) return null
  return 'COFFER_TEMPORAL_CERT: needs COFFER_TEMPORAL_KEY, and the other way round'
}

/** Returns the certificate files of a server; empty without TLS, or with the system's CA only. */
export function filesOf({ caFile, certificateFile, keyFile }: TemporalServer): string[] {
  const files = [caFile === 'system' ? undefined : caFile, certificateFile, keyFile]
  return files.filter((file) => file !== undefined)
}

/** Returns TLS options and credentials for Temporal's native core, read from the files. */
export async function nativeOptions(
  server: TemporalServer,
): Promise<{ tls: TlsConfig | null; apiKey?: string }> {
  const { caFile, certificateFile, keyFile, apiKey } = server
  if (!isTls(server)) return { tls: null }
  const tls: TlsConfig = {}
  if (caFile && caFile !== 'system') tls.serverRootCACertificate = await readFile(caFile)
  if (certificateFile && keyFile) {
    tls.clientCertPair = { crt: await readFile(certificateFile), key: await readFile(keyFile) }
  }
  return { tls, ...(apiKey ? { apiKey } : {}) }
}

/** Returns gRPC credentials; new connections use the current content of the files. */
export function channelCredentials(server: TemporalServer): ChannelCredentials {
  const { caFile, certificateFile, keyFile: privateKeyFile, renewMs = renewMsDefault } = server
  if (!isTls(server)) return credentials.createInsecure()
  const { FileWatcherCertificateProvider, createCertificateProviderChannelCredentials } =
    experimental
  const refreshIntervalMs = renewMs
  const authorities =
    caFile && caFile !== 'system'
      ? new FileWatcherCertificateProvider({ caCertificateFile: caFile, refreshIntervalMs })
      : systemAuthorities
  const own =
    certificateFile && privateKeyFile
      ? new FileWatcherCertificateProvider({ certificateFile, privateKeyFile, refreshIntervalMs })
      : null
  return createCertificateProviderChannelCredentials(authorities, own)
}

export const renewMsDefault = 30_000

/** Provides the CA certificates of Node, which do not change. */
const systemAuthorities: experimental.CertificateProvider = {
  addCaCertificateListener: (listener) => {
    const caCertificate = Buffer.from(rootCertificates.join('\n'))
    process.nextTick(() => listener({ caCertificate }))
  },
  removeCaCertificateListener: () => {},
  addIdentityCertificateListener: () => {},
  removeIdentityCertificateListener: () => {},
}

function isTls({ caFile, certificateFile, apiKey }: TemporalServer): boolean {
  return Boolean(caFile ?? certificateFile ?? apiKey)
}
