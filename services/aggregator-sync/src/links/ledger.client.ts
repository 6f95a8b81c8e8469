import type { MessageInitShape } from '@bufbuild/protobuf'
import type { UpsertBankAccountsRequestSchema } from '@coffer/proto/ledger/v1/sync_import'
import { callFor, importsOf, type LedgerDeps } from '@coffer/sync-kit/ledger/ledger.client'
import type { LinkKey } from '../connections/aggregator-link.ts'

/** Creates a link unless it exists. Throws notFound if it is deleted, refused at the maximum. */
export async function upsertLink(
  deps: LedgerDeps,
  { accountId, linkId }: LinkKey,
  of: { institutionName: string; createdBy: string },
): Promise<void> {
  await importsOf(deps).upsertLink({ linkId, ...of }, callFor(deps, accountId))
}

/** Creates or updates bank accounts of a link. */
export async function upsertAccounts(
  deps: LedgerDeps,
  accountId: string,
  request: MessageInitShape<typeof UpsertBankAccountsRequestSchema>,
): Promise<void> {
  await importsOf(deps).upsertBankAccounts(request, callFor(deps, accountId))
}

/** Deletes a link whose creation failed, if it exists. */
export async function discardLink(deps: LedgerDeps, { accountId, linkId }: LinkKey): Promise<void> {
  await importsOf(deps).discardLink({ linkId }, callFor(deps, accountId))
}

/**
 * Converts a link to a manual one, so that the user keeps its data; does nothing if it is deleted.
 */
export async function detachLink(deps: LedgerDeps, { accountId, linkId }: LinkKey): Promise<void> {
  await importsOf(deps).detachLink({ linkId }, callFor(deps, accountId))
}
