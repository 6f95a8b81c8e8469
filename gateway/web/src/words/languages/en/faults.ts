export const faults = {
  unreachable: 'The server cannot be reached. Your entries are still here.',
  notSent: 'The server could not be reached, so nothing was sent. Your entries are still here.',
  trying: 'The server cannot be reached. It is tried a little longer. Your entries are still here.',
  unanswered:
    'The server cannot be reached, and may have saved this already. Send it again as it is: it is saved once.',
  slow: 'The server took too long to answer. Your entries are still here.',
  failed: 'This did not work.',
  tooOften: 'Too many attempts. Try again in {minutes, plural, one {a minute} other {# minutes}}.',
  ofServer: '{text}',
  fields: 'Some entries need another look.',
  meanwhile:
    'Changed meanwhile, in another window or on another device: {changes}. Your entries are still here, and not saved.',
  isNow: '“{label}” is now {text}',
  saveAnyway: 'Save mine all the same',
  takeOther: 'Take the change',
  isOn: '{isOn, select, true {yes} other {no}}',
  again: 'Try again',
  request: 'Request {id}',
  offline:
    'The server cannot be reached. You see what was last known, and can change nothing. It is ' +
    'tried again.',
  lastSeen: 'No connection. You see what was known at {at} or before, and can change nothing.',
  upgraded: 'A newer version of Coffer is here.',
  partAway: 'The server cannot be reached, so this page cannot be loaded.',
  partGone: 'Coffer was upgraded meanwhile, so this page has to be loaded again.',
  reload: 'Reload',
  broken: 'This page has failed. The fault is ours, not yours.',
  notFound: 'There is no such page',
  notFoundText: 'The address may be mistyped, or the page was removed.',
  toHome: 'To the home page',
} as const
