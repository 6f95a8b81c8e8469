const { stripTypeScriptTypes } = require('node:module')

module.exports = {
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) }),
}
