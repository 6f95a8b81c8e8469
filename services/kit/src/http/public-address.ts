import ipaddr from 'ipaddr.js'

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Returns whether an IP address is public: global unicast, in no special range such as private,
 * loopback, link-local, shared or reserved (RFC 6890). An IPv4-mapped IPv6 address counts as its
 * IPv4 address. Texts that are no IP address are not public.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  const isUnicast = address.range() === 'unicast'
  return isUnicast && (address instanceof ipaddr.IPv4 || address.match(globalUnicast))
}
