import { createHash, randomUUID } from 'node:crypto'
import type { Permissions } from '@coffer/host/events/permissions'
import { nkeys } from '@nats-io/transport-node'

type KeyPair = ReturnType<typeof nkeys.createUser>

/**
 * Returns the credentials of a user (`.creds`), who may do everything unless permissions are given,
 * and the configuration of a NATS that knows the user's account and operator (decentralized JWT
 * authentication).
 */
export function userCredentials(permissions?: Permissions): { file: string; lines: string } {
  const [operator, user] = [nkeys.createOperator(), nkeys.createUser()]
  const [system, account] = [nkeys.createAccount(), nkeys.createAccount()]
  const limits = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }
  const unlimited = { subs: -1, conn: -1, data: -1, payload: -1, imports: -1, exports: -1 }
  const operatorToken = claim(operator, operator, { type: 'operator' })
  const systemToken = claim(operator, system, { type: 'account', limits: unlimited })
  const accountToken = claim(operator, account, {
    type: 'account',
    limits: { ...unlimited, ...limits, wildcards: true, leaf: -1 },
  })
  const userToken = claim(account, user, {
    type: 'user',
    subs: -1,
    data: -1,
    payload: -1,
    ...(permissions ? limitsOf(permissions) : {}),
  })
  return {
    file: `-----BEGIN NATS USER JWT-----
${userToken}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${Buffer.from(user.getSeed())}
------END USER NKEY SEED------
`,
    lines: `operator: ${operatorToken}
resolver: MEMORY
system_account: ${system.getPublicKey()}
resolver_preload: {
  ${system.getPublicKey()}: ${systemToken}
  ${account.getPublicKey()}: ${accountToken}
}`,
  }
}

/** Returns the claims of a user that `nsc add user --allow-pub … --allow-sub …` makes. */
function limitsOf({ publish, subscribe }: Permissions) {
  return { pub: { allow: publish }, sub: { allow: subscribe } }
}

/** A JWT of NATS, version 2, about `subject`, signed by `issuer` with Ed25519. */
function claim(issuer: KeyPair, subject: KeyPair, nats: Record<string, unknown>): string {
  const payload = {
    jti: createHash('sha256').update(randomUUID()).digest('hex'),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'coffer',
    nats: { ...nats, version: 2 },
  }
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(payload)}`
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`
}
