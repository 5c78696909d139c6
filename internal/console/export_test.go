package console

// Serve lets tests bring a build of their own.
var Serve = serve
