export const faultWords = {
  unreachable: 'The server cannot be reached. Your entries are still here.',
  slow: 'The server took too long to answer. Your entries are still here.',
  failed: 'This did not work.',
  fields: 'Some entries need another look.',
  again: 'Try again',
  request: (id: string) => `Request ${id}`,
  upgraded: 'A newer version of Coffer is here.',
  reload: 'Reload',
  broken: 'This page has failed. The fault is ours, not yours.',
  notFound: 'There is no such page',
  notFoundText: 'The address may be mistyped, or the page was removed.',
  toHome: 'To the home page',
}
