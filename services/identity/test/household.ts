import { loadSigner } from '@coffer/host/rpc/signing-key'
import { type Booted, boot, counted } from '@coffer/host/testing/boot'
import { booting } from '@coffer/host/testing/booting'
import { anonymousCaller, systemCaller } from '@coffer/kit/rpc/caller'
import { asCaller } from '@coffer/kit/rpc/rpc'
import { newId } from '@coffer/kit/values/id'
import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { type CallOptions, ConnectError } from '@connectrpc/connect'
import { generateSync } from 'otplib'
import { identity } from '../src/service.ts'

const signUp = { COFFER_ALLOW_SIGN_UP: 'true' }

/** Boots identity on a database of its own, with sign-up enabled. */
export function bootIdentity(environment: Record<string, string> = {}): Promise<Booted> {
  return boot([identity], { ...signUp, ...environment })
}

/** The same for all tests of a file; the clock before each test is `now`, or the system's. */
export function bootingIdentity(environment: Record<string, string> = {}, now?: string): Booted {
  return booting([identity], { ...signUp, ...environment }, now ?? null)
}

/** Returns call options of a request without credentials, as the gateway passes them. */
export function anonymous({ keysFolder }: Booted): CallOptions {
  return asCaller(anonymousCaller(loadSigner(keysFolder, 'gateway'), new Date()))
}

export const password = 'correct horse battery'

/** Bodies of a re-authentication, by the password or by a code. */
export const byPassword = { proof: { kind: { case: 'currentPassword', value: password } } } as const
export const byCode = (value: string) => ({ proof: { kind: { case: 'totp', value } } }) as const

/** Returns the error of a call; null if it succeeds. */
export const refusal = (call: Promise<unknown>) => call.then(() => null, ConnectError.from)

/** Returns a registration body with an unused email address. */
export function newcomer(change: Record<string, string> = {}) {
  const email = `${newId('ann').replace('_', '-')}@example.com`
  return { email, password, firstName: 'Ann', lastName: 'Lee', timezone: '', locale: '', ...change }
}

/** Registers a user; returns it with the call options of its session. */
export async function register(booted: Booted, change: Record<string, string> = {}) {
  const body = newcomer(change)
  const signIn = booted.client('identity', SignInService)
  const { user, sessionToken } = await signIn.register(body, anonymous(booted))
  if (!user) throw new Error('registered without a user')
  const as = await bySession(booted, sessionToken)
  return { ...body, user, sessionToken, accountId: user.accountId, as }
}

/** Returns call options of a session token's user, as the gateway passes them. */
export async function bySession(booted: Booted, sessionToken: string): Promise<CallOptions> {
  const { verifySession } = booted.client('identity', SignInService)
  const { credential } = await verifySession({ sessionToken }, anonymous(booted))
  if (!credential) throw new Error('verified without a credential')
  const { accountId, userId, loginId, sessionId, mfaPending } = credential
  const kind = mfaPending ? 'pending' : 'session'
  return booted.as(accountId, { userId, loginId, sessionId, kind })
}

/** Returns a function from an instant to the TOTP code at that instant, for an otpauth URI. */
export function authenticator(uri: string): (at: Date) => string {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  return (at) => generateSync({ secret, epoch: Math.floor(at.getTime() / 1000) })
}

/** Sets the clock to `at`, and registers a user who enables an authenticator at that time. */
export async function registerWithAuthenticator(booted: Booted, at: Date) {
  booted.clock.now = at
  const ann = await register(booted)
  const multifactor = booted.client('identity', MultifactorService)
  const { uri, recoveryCodes } = await multifactor.setUpTotp({}, ann.as)
  const codeAt = authenticator(uri)
  await multifactor.confirmTotp({ totp: codeAt(at) }, ann.as)
  return { ...ann, codeAt, recoveryCodes }
}

/** Returns call options of the service `name`, which calls for an account without a user. */
export function service({ keysFolder }: Booted, name: string, accountId: string): CallOptions {
  return asCaller(systemCaller(loadSigner(keysFolder, name), accountId, new Date()))
}

/** Returns the mean number of SQL statements per call, over `calls` calls in sequence. */
export async function statementsOf(
  booted: Booted,
  calls: number,
  call: () => Promise<unknown>,
): Promise<number> {
  const { count } = await counted(booted.database('identity'), async () => {
    for (let made = 0; made < calls; made += 1) await call()
  })
  return count / calls
}
