// A measuring child that ends before it measures, for tests of its parent. Forked by MeasuringProcess.
process.exitCode = 1;
