/** Result of Plaid Link. */
export interface Chosen {
  publicToken: string
  accountIds: string[]
  institutionId: string | null
  institutionName: string | null
}

interface Metadata {
  accounts: { id: string }[]
  institution: { institution_id: string; name: string } | null
}

interface ExitError {
  display_message: string | null
  error_message: string
}

interface PlaidScript {
  create: (options: {
    token: string
    receivedRedirectUri?: string
    onSuccess: (publicToken: string, metadata: Metadata) => void
    onExit: (error: ExitError | null) => void
  }) => { open: () => void }
}

/** An error of Plaid Link, with a text for the user. */
export class PlaidLinkError extends Error {}

/**
 * Opens Plaid Link with a link token, or resumes it at `returnedTo` after an OAuth redirect.
 * Returns null if the user closes it. Throws PlaidLinkError for an error of Link; if the script
 * does not load, with the text `blocked`.
 */
export async function openPlaidLink(
  token: string,
  { returnedTo, blocked }: { returnedTo: string | null; blocked: string },
): Promise<Chosen | null> {
  await loadScript(blocked)
  const { Plaid } = globalThis as unknown as { Plaid: PlaidScript }
  return await new Promise((resolve, reject) => {
    const link = Plaid.create({
      token,
      ...(returnedTo === null ? {} : { receivedRedirectUri: returnedTo }),
      onSuccess: (publicToken, { accounts, institution }) =>
        resolve({
          publicToken,
          accountIds: accounts.map(({ id }) => id),
          institutionId: institution?.institution_id ?? null,
          institutionName: institution?.name ?? null,
        }),
      onExit: (error) => {
        if (error === null) resolve(null)
        else reject(new PlaidLinkError(error.display_message ?? error.error_message))
      },
    })
    link.open()
  })
}

/** Loads Plaid's script once; the gateway writes its URL into the page (`connect.html`). */
async function loadScript(blocked: string): Promise<void> {
  if ('Plaid' in globalThis) return
  await new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = document.documentElement.dataset.script ?? ''
    script.onload = () => resolve()
    script.onerror = () => reject(new PlaidLinkError(blocked))
    document.head.append(script)
  })
}
