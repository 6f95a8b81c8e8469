import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverUser } from '@coffer/local/postgres/postgres-user'

/** Files of a certificate and its private key (PEM). */
export interface CertificateFiles {
  certificate: string
  key: string
}

/** A certificate unlike those of `issue`: another validity in days from now, purposes, or a key. */
export interface Unlike {
  days?: readonly [from: number, to: number]
  /** Purposes as the last number below 1.3.6.1.5.5.7.3: 1 is a server, 2 a client. */
  purposes?: number[]
  /** File of the key that the certificate belongs to. */
  key?: string
}

/** A certification authority of a test. */
export interface Authority {
  /** File of the authority's own certificate. */
  file: string
  /** Issues a certificate for these DNS names and IPv4 addresses; the first is its subject. */
  issue: (...names: string[]) => CertificateFiles
  issueUnlike: (unlike: Unlike, ...names: string[]) => CertificateFiles
  /** Creates an authority whose own certificate is of this one. */
  createIntermediate: (name: string, unlike?: Unlike) => Authority
}

/** A folder with certification authorities, which disposing removes. */
export interface Certificates extends Disposable {
  path: string
  createAuthority: (name: string, unlike?: Unlike) => Authority
}

const dayMs = 24 * 60 * 60_000

/** Creates a folder for certificates, which the user of a test's Postgres can read. */
export function createCertificates(): Certificates {
  const path = mkdtempSync(join(tmpdir(), 'coffer-certificates-'))
  chmodSync(path, 0o755)
  let count = 0
  const write = (text: string | Buffer): string => {
    count += 1
    const file = join(path, `${count}.pem`)
    writeFileSync(file, text, { mode: 0o600 })
    // Postgres reads its files as a user of its own if the test runs as root.
    const user = serverUser()
    if (user !== undefined) chownSync(file, user.uid, user.gid)
    return file
  }
  const create = (name: string, unlike: Unlike, issuer?: { name: string; keys: KeyPair }) => {
    const keys = newKeys()
    const by = issuer ?? { name, keys }
    const about = { subject: name, issuer: by.name, names: [], isCa: true, ...unlike }
    const issueUnlike = (other: Unlike, ...names: string[]) => {
      const pair = other.key === undefined ? newKeys() : keysIn(other.key)
      const [subject = ''] = names
      const own = { subject, issuer: name, names, isCa: false, ...other }
      const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' })
      return { certificate: write(certificate(own, pair, keys)), key: write(key) }
    }
    const authority: Authority = {
      file: write(certificate(about, keys, by.keys)),
      issue: (...names) => issueUnlike({}, ...names),
      issueUnlike,
      createIntermediate: (below, other = {}) => create(below, other, { name, keys }),
    }
    return authority
  }
  return {
    path,
    createAuthority: (name, unlike = {}) => create(name, unlike),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

interface KeyPair {
  publicKey: KeyObject
  privateKey: KeyObject
}

function newKeys(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function keysIn(file: string): KeyPair {
  const privateKey = createPrivateKey(readFileSync(file))
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

interface About extends Unlike {
  subject: string
  issuer: string
  names: string[]
  isCa: boolean
}

/** Returns an X.509 certificate (RFC 5280 4.1, DER in PEM): Node can read these, not issue them. */
function certificate(about: About, { publicKey }: KeyPair, authority: KeyPair): string {
  const [from, to] = about.days ?? [-1, 30]
  const keyOf = (key: KeyObject) => key.export({ type: 'spki', format: 'der' })
  const signed = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    ecdsaWithSha256,
    nameOf(about.issuer),
    sequence(time(from * dayMs), time(to * dayMs)),
    nameOf(about.subject),
    keyOf(publicKey),
    tagged(0xa3, sequence(...extensions(about, keyOf(publicKey), keyOf(authority.publicKey)))),
  )
  const signature = sign('sha256', signed, authority.privateKey)
  const all = sequence(signed, ecdsaWithSha256, bits(signature))
  return `-----BEGIN CERTIFICATE-----\n${all.toString('base64')}\n-----END CERTIFICATE-----\n`
}

/** Basic constraints, key usages, alternative names and key identifiers (RFC 5280 4.2.1). */
function extensions({ names, isCa, purposes }: About, key: Buffer, authorityKey: Buffer): Buffer[] {
  const identifier = (of: Buffer) => createHash('sha1').update(of).digest()
  const isAddress = (name: string) => /^[\d.]+$/.test(name)
  const alternatives = names.map((name) =>
    isAddress(name)
      ? tagged(0x87, Buffer.from(name.split('.').map(Number)))
      : tagged(0x82, Buffer.from(name)),
  )
  // An authority has basic constraints, and the key usage keyCertSign; both are critical.
  const own = [
    extension(19, sequence(tagged(0x01, Buffer.of(0xff))), true),
    extension(15, tagged(0x03, Buffer.of(2, 4)), true),
  ]
  const purposeOf = (one: number) => tagged(0x06, Buffer.of(0x2b, 6, 1, 5, 5, 7, 3, one))
  return [
    ...(purposes ? [extension(37, sequence(...purposes.map(purposeOf)))] : []),
    ...(isCa ? own : [extension(17, sequence(...alternatives))]),
    extension(14, tagged(0x04, identifier(key))),
    extension(35, sequence(tagged(0x80, identifier(authorityKey)))),
  ]
}

/** An extension below 2.5.29 (id-ce). */
function extension(id: number, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? [tagged(0x01, Buffer.of(0xff))] : []
  return sequence(tagged(0x06, Buffer.of(0x55, 0x1d, id)), ...critical, tagged(0x04, value))
}

/** A name of one attribute, the common name (2.5.4.3). */
function nameOf(text: string): Buffer {
  const commonName = sequence(tagged(0x06, Buffer.of(0x55, 4, 3)), tagged(0x0c, Buffer.from(text)))
  return sequence(tagged(0x31, commonName))
}

/** UTCTime of now plus a number of milliseconds. */
function time(ms: number): Buffer {
  const text = new Date(Date.now() + ms).toISOString().replace(/[-:T]|\.\d+/g, '')
  return tagged(0x17, Buffer.from(text.slice(2)))
}

function integer(value: Buffer): Buffer {
  return tagged(0x02, value)
}

function bits(value: Buffer): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.of(0), value]))
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

/** A value with its tag and length (X.690 8.1). */
function tagged(tag: number, value: Buffer): Buffer {
  const { length } = value
  const long = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...(length < 0x80 ? [length] : long)), value])
}

const ecdsaWithSha256 = sequence(tagged(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
