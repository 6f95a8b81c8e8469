import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SecureContextOptions } from 'node:tls'
import { SettingsError } from '@coffer/kit/service/config'
import type { Log } from '@coffer/kit/service/log'
import { setCertificateEnd } from '../metrics.ts'
import { certificatesIn, hasValidChain, isForBothEnds, isValidAt } from './certificate-chain.ts'

/** Interval in ms at which the files are read again. */
const everyMsDefault = 10_000

/** PEM files of mutual TLS between processes, by the settings that name them. */
export interface TlsFiles {
  COFFER_RPC_CA: string
  COFFER_RPC_CERT: string
  COFFER_RPC_KEY: string
}

type Texts = Record<keyof TlsFiles, string>

/** The certificates of this process for calls, as last read from its files. */
export interface MeshTls extends Disposable {
  /** Returns the options of both ends of a connection (RFC 8446: TLS 1.3). */
  context: () => SecureContextOptions
  /** Calls `renew` when the files have changed. */
  onRenewal: (renew: () => void) => void
}

/**
 * Loads the certificates of mutual TLS, and reads the files again every 10 s, because cert-manager
 * and Kubernetes replace them. Unusable files, or a certificate that no peer would accept, are
 * logged once, and the former certificates stay in use.
 * @throws {SettingsError} naming the file, when one is missing or cannot be used
 */
export function loadMeshTls(files: TlsFiles, log: Log, everyMs = everyMsDefault): MeshTls {
  const renewals: (() => void)[] = []
  let texts = requireTexts(readTexts(files), files)
  let refused = ''
  const report = () => {
    const { validToDate, subject } = new X509Certificate(texts.COFFER_RPC_CERT)
    setCertificateEnd(validToDate.getTime() / 1000)
    return { subject, validTo: validToDate.toISOString() }
  }
  const reload = () => {
    try {
      const next = readTexts(files)
      if (JSON.stringify(next) === JSON.stringify(texts)) return
      texts = requireTexts(next, files)
    } catch (error) {
      const { message } = error as Error
      if (message !== refused) log.error({ reason: message }, 'cannot renew the certificate')
      refused = message
      return
    }
    refused = ''
    log.info(report(), 'renewed the certificate of calls')
    for (const renew of renewals) renew()
  }
  log.info(report(), 'calls have mutual TLS')
  const timer = setInterval(reload, everyMs).unref()
  return {
    context: () => ({
      ca: texts.COFFER_RPC_CA,
      cert: texts.COFFER_RPC_CERT,
      key: texts.COFFER_RPC_KEY,
      minVersion: 'TLSv1.3',
    }),
    onRenewal: (renew) => renewals.push(renew),
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Checks the files of mutual TLS. Throws SettingsError naming the one that cannot be used. */
export function requireTlsFiles(files: TlsFiles): void {
  requireTexts(readTexts(files), files)
}

function readTexts(files: TlsFiles): Texts {
  const read = (name: keyof TlsFiles) => {
    try {
      return readFileSync(files[name], 'utf8')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      throw new SettingsError(`${name}: ${files[name]} cannot be read (${code})`)
    }
  }
  return {
    COFFER_RPC_CA: read('COFFER_RPC_CA'),
    COFFER_RPC_CERT: read('COFFER_RPC_CERT'),
    COFFER_RPC_KEY: read('COFFER_RPC_KEY'),
  }
}

/** Returns the texts if peers with the same CA accept them; throws SettingsError otherwise. */
function requireTexts(texts: Texts, files: TlsFiles): Texts {
  const parse = <T>(name: keyof TlsFiles, parser: (text: string) => T, kind: string): T => {
    try {
      return parser(texts[name])
    } catch {
      throw new SettingsError(`${name}: ${files[name]} is no ${kind} in PEM`)
    }
  }
  const authorities = parse('COFFER_RPC_CA', certificatesIn, 'certificate')
  const own = parse('COFFER_RPC_CERT', certificatesIn, 'certificate')
  const key = parse('COFFER_RPC_KEY', createPrivateKey, 'private key')
  const [certificate] = own
  if (!certificate?.checkPrivateKey(key)) {
    const fault = `does not belong to the certificate ${files.COFFER_RPC_CERT}`
    throw new SettingsError(`COFFER_RPC_KEY: ${files.COFFER_RPC_KEY} ${fault}`)
  }
  const refuse = (fault: string) => {
    throw new SettingsError(`COFFER_RPC_CERT: ${files.COFFER_RPC_CERT} ${fault}`)
  }
  const now = new Date()
  if (!isValidAt(certificate, now)) {
    const [from, to] = [certificate.validFromDate, certificate.validToDate]
    refuse(`is valid from ${from.toISOString()} to ${to.toISOString()} only`)
  }
  if (!isForBothEnds(certificate)) refuse('is not for both a server and a client (key usage)')
  if (!hasValidChain(own, authorities, now)) {
    refuse(`has no valid chain to the CA in ${files.COFFER_RPC_CA}`)
  }
  return texts
}
