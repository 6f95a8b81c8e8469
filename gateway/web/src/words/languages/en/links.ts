export const links = {
  title: 'Connect your bank',
  titleUpdate: 'Renew the connection',
  steps: {
    opening: 'Plaid is being opened.',
    open: 'Sign in at your bank in the window of Plaid. Coffer never sees your password there.',
    storing: 'The connection is being stored.',
    syncing:
      'Your bank accounts are connected. Their transactions are being read; this can take a minute, and goes on without this page.',
  },
  left: 'You have left the window of Plaid. Nothing has changed.',
  again: 'Open it again',
  back: 'Back to the accounts',
  signIn: 'Sign in',
  signedOut: 'Your session has ended: sign in, and you come back here.',
  failed: 'The bank could not be connected.',
  blocked:
    'The script of Plaid did not load. A blocker of the browser may stop it: allow cdn.plaid.com.',
} as const
