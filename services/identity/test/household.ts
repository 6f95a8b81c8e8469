import { anonymousCaller, loadSigner, systemCaller } from '@coffer/kit/caller'
import { newId } from '@coffer/kit/id'
import { headers } from '@coffer/kit/rpc'
import { type Booted, boot } from '@coffer/kit/testing/boot'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import type { CallOptions } from '@connectrpc/connect'
import { identity } from '../src/service.ts'

/** Identity on a database of its own, open for sign-up. */
export function bootIdentity(environment: Record<string, string> = {}): Promise<Booted> {
  return boot([identity], { COFFER_ALLOW_SIGN_UP: 'true', ...environment })
}

/** Call options of a request without credentials, as the gateway would pass them. */
export function nobody({ keysFolder }: Booted): CallOptions {
  const token = anonymousCaller(loadSigner(keysFolder, 'gateway'), new Date())
  return { headers: { [headers.caller]: token } }
}

export const password = 'correct horse battery'

/** A registration body with an email address nobody has. */
export function newcomer(change: Record<string, string> = {}) {
  const email = `${newId('ann').replace('_', '-')}@example.com`
  return { email, password, firstName: 'Ann', lastName: 'Lee', timezone: '', locale: '', ...change }
}

/** Somebody registered, with the call options of their session. */
export async function register(booted: Booted, change: Record<string, string> = {}) {
  const body = newcomer(change)
  const signIn = booted.client('identity', SignInService)
  const { user, sessionToken } = await signIn.register(body, nobody(booted))
  if (!user) throw new Error('registered without a user')
  const { accountId, userId, loginId } = user
  const who = { userId, loginId }
  return { ...body, user, sessionToken, accountId, as: booted.as(accountId, who) }
}

/** Call options of another service that acts on an account by itself. */
export function service({ keysFolder }: Booted, name: string, accountId: string): CallOptions {
  const token = systemCaller(loadSigner(keysFolder, name), accountId, new Date())
  return { headers: { [headers.caller]: token } }
}

/** Statements per call over many calls; the few that run beside them do not make up a whole one. */
export async function statementsOf(
  booted: Booted,
  calls: number,
  call: () => Promise<unknown>,
): Promise<number> {
  const { statements } = booted.database('identity')
  const before = statements()
  for (let made = 0; made < calls; made += 1) await call()
  return Math.floor((statements() - before) / calls)
}
