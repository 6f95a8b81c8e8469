import { issueBetaCode } from '@coffer/identity/accounts/operator.service'
import type { Coffer } from './coffer.ts'

/** Returns a code for one registration, as `coffer beta:new-code` prints it. */
export async function newBetaCode({ booted }: Pick<Coffer, 'booted'>): Promise<string> {
  return (await issueBetaCode(booted.database('identity'), new Date())).code
}
