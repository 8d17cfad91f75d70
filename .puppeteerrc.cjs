// Browsers come from the system or from a registry package, never from a download at install time.
module.exports = { skipDownload: true };
