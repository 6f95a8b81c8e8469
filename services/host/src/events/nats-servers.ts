import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { SettingsError } from '@coffer/kit/service/config'
import {
  type Authenticator,
  credsAuthenticator,
  type NodeConnectionOptions,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node'

/** The servers of a NATS cluster, and how to sign in. Files are read again at each connection. */
export interface NatsServers {
  /** URLs separated by commas; `tls://` requires TLS. One may have `user:password@` or `token@`. */
  url: string
  /** File with credentials of an account's user (`.creds`), or with the seed of an nkey. */
  credentialsFile?: string | undefined
  /** File of CA certificates (PEM), which requires TLS. */
  caFile?: string | undefined
  /** Files of a client certificate and its key, which require TLS. */
  certificateFile?: string | undefined
  keyFile?: string | undefined
}

/** Returns the problem of the settings of NATS; null if they can be used. */
export function natsFault(servers: NatsServers): string | null {
  const texts = partsOf(servers.url)
  const urls = texts.filter((text) => URL.canParse(text)).map((text) => new URL(text))
  const isServer = ({ protocol, host }: URL) => ['nats:', 'tls:'].includes(protocol) && host !== ''
  if (urls.length < texts.length || !urls.every(isServer)) {
    return 'must be URLs, nats://host:4222 or tls://host:4222, separated by commas'
  }
  const users = new Set(urls.flatMap((url) => (url.username ? [signInOf(url)] : [])))
  if (users.size > 1) return 'the servers of a cluster need the same user and password'
  if (users.size > 0 && servers.credentialsFile) return 'has a user, and there are credentials too'
  if (!servers.certificateFile !== !servers.keyFile) return 'a certificate needs its key'
  // TLS requires a host name: for an IP address, nats.js would verify the server's certificate
  // against the name `localhost`.
  const address = isTls(servers, urls) && urls.find(({ hostname }) => isIP(bare(hostname)))
  return address ? `TLS needs the name of the server instead of ${bare(address.hostname)}` : null
}

/**
 * Returns the options that connect to the servers: addresses, sign-in and TLS. With TLS, refuses a
 * server without it before signing in.
 * @throws {SettingsError} when the settings cannot be used
 */
export function natsOptions(
  servers: NatsServers,
): Pick<NodeConnectionOptions, 'servers' | 'authenticator' | 'tls'> {
  const fault = natsFault(servers)
  if (fault !== null) throw new SettingsError(`COFFER_NATS_URL: ${fault}`)
  const urls = partsOf(servers.url).map((text) => new URL(text))
  const { credentialsFile, caFile, certificateFile: certFile, keyFile } = servers
  const withUser = urls.find(({ username }) => username !== '')
  const authenticator = credentialsFile
    ? fileAuthenticator(credentialsFile)
    : withUser && userAuthenticator(withUser)
  const tls = {
    ...(caFile ? { caFile } : {}),
    ...(certFile && keyFile ? { certFile, keyFile } : {}),
  }
  return {
    // Without user and password: nats.js ignores them, and takes digits of a password for the port.
    servers: urls.map(({ host, port }) => (port ? host : `${host}:4222`)),
    ...(authenticator ? { authenticator } : {}),
    ...(isTls(servers, urls) ? { tls } : {}),
  }
}

function isTls({ caFile, certificateFile }: NatsServers, urls: URL[]): boolean {
  return Boolean(caFile ?? certificateFile) || urls.some(({ protocol }) => protocol === 'tls:')
}

/** Returns the URLs of a list; `nats://` is the default. */
function partsOf(list: string): string[] {
  const parts = list.split(',').map((part) => part.trim())
  return parts.map((part) => (part.includes('://') ? part : `nats://${part}`))
}

function signInOf({ username, password }: URL): string {
  return JSON.stringify([username, password])
}

function userAuthenticator({ username, password }: URL): Authenticator {
  const user = decodeURIComponent(username)
  return password === ''
    ? tokenAuthenticator(user)
    : usernamePasswordAuthenticator(user, decodeURIComponent(password))
}

/** Signs in by a file of credentials, or of an nkey's seed, read at each sign-in. */
function fileAuthenticator(file: string): Authenticator {
  return (nonce) => {
    const text = readFileSync(file, 'utf8')
    const bytes = Buffer.from(text.trim())
    return text.includes('-----BEGIN')
      ? credsAuthenticator(Buffer.from(text))(nonce)
      : nkeyAuthenticator(bytes)(nonce)
  }
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
