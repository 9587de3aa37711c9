/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readers.js PPROF JSON SPEEDSCOPE SCHEMA SPEEDSCOPE-FOLDER TYPE:UNIT[,…] PERIOD: other people's decoders and schemas over our documents. */
"use strict";
const fs = require("fs");
const zlib = require("zlib");
const { Profile } = require("pprof-format");
const Ajv = require("ajv");

const [pprofPath, jsonPath, speedscopePath, schemaPath, speedscopeFolder, types, period] = process.argv.slice(2);
let failures = 0;

function check(what, condition, detail) {
  if (condition) return;
  failures++;
  console.log("FAIL: " + what + (detail === undefined ? "" : ": " + detail));
}

const read = (path) => JSON.parse(fs.readFileSync(path, "utf8"));
const sum = (numbers) => numbers.reduce((a, b) => a + Number(b), 0);

/*
 * What makes a name of a series: Parca's MetaFromPprof (a period is part of the name), Pyroscope's validate.go (no dash
 * in a type; at most 100 labels a sample, 1000 frames), its process_cpu ("samples" and "cpu" with a period in nanoseconds) and its
 * off_cpu, which may have no period.
 */
function checkSeries(profile) {
  const strings = profile.stringTable.strings, text = (number) => strings[Number(number)];
  const named = (value) => text(value.type) + ":" + text(value.unit);
  check("sample types and units", profile.sampleType.map(named).join() === types, profile.sampleType.map(named));
  check("no dash in a type", profile.sampleType.every((value) => !text(value.type).includes("-")));
  check("the default type is the last", named(profile.sampleType.at(-1)).split(":")[0] === text(profile.defaultSampleType));
  check("the period", Number(profile.period) === Number(period), profile.period);
  check("the type of the period", (profile.periodType ? named(profile.periodType) : "") === (Number(period) ? "cpu:nanoseconds" : ""));
  check("a time that no clock has yet shown is none", Number(profile.timeNanos) >= 0 && Number(profile.durationNanos) >= 0);
  for (const sample of profile.sample) {
    const keys = sample.label.map((label) => text(label.key));
    check("labels are there once", new Set(keys).size === keys.length, keys);
    check("labels are names of Prometheus", keys.every((key) => /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(key)), keys);
    check("labels that are numbers make no series", sample.label.every((label) =>
      ["pid", "tid"].includes(text(label.key)) === !Number(label.str)), keys);
    check("few labels, and stacks of at most 1000", sample.label.length <= 100 && sample.locationId.length <= 1000);
  }
}

/* Parca: pkg/normalizer/validate.go; Pyroscope: pkg/pprof. */
function checkPprof(profile) {
  const strings = profile.stringTable.strings;
  checkSeries(profile);
  for (const table of ["mapping", "function"])
    for (const field of ["filename", "name", "systemName", "buildId"])
      check(table + ": " + field + " is a string of the table", profile[table].every((one) => Number(one[field] || 0) < strings.length));
  for (const mapping of profile.mapping)
    check("build ids are hexadecimal", /^([0-9a-f]{2})*$/.test(strings[Number(mapping.buildId)]), strings[Number(mapping.buildId)]);
  check("the first string is empty", strings[0] === "");
  check("strings are there once", new Set(strings).size === strings.length);
  for (const table of ["mapping", "location", "function"])
    profile[table].forEach((element, i) => check(table + " ids count from 1", Number(element.id) === i + 1, element.id));
  for (const sample of profile.sample) {
    check("a value for each type", sample.value.length === profile.sampleType.length);
    check("values are not negative", sample.value.every((value) => Number(value) >= 0));
    check("a sample has a stack", sample.locationId.length > 0);
    check("locations exist", sample.locationId.every((id) => Number(id) >= 1 && Number(id) <= profile.location.length));
    check("labels have keys", sample.label.every((label) => Number(label.key) > 0));
    check("labels have one value", sample.label.every((label) => (Number(label.str) > 0) !== (Number(label.num) > 0)));
  }
  for (const location of profile.location) {
    check("mappings exist", Number(location.mappingId) <= profile.mapping.length);
    check("functions exist", location.line.every((line) => Number(line.functionId) <= profile.function.length && Number(line.functionId) > 0));
    check("a location says something", location.line.length > 0 || Number(location.mappingId) > 0 || Number(location.address) > 0);
  }
  for (const one of profile.function) {
    check("functions have names", Number(one.name) > 0);
    check("names are not demangled again", Number(one.name) !== Number(one.systemName));
  }
  for (const mapping of profile.mapping) {
    check("mappings say that they have functions", mapping.hasFunctions);
    check("mappings have a range", Number(mapping.memoryStart) < Number(mapping.memoryLimit));
  }
  if (Number(period))
    check("time is samples by period", profile.sample.every((sample) => Number(sample.value[1]) === Number(sample.value[0]) * period));
  return profile.sampleType.map((type, i) => sum(profile.sample.map((sample) => sample.value[i])));
}

function checkSchema(what, schema, document) {
  const ajv = new Ajv({ strict: false });
  check(what + " fits its schema", ajv.validate(schema, document), ajv.errorsText());
}

function checkSpeedscope(document) {
  const schemas = fs.readdirSync(speedscopeFolder).filter((name) => /^file-format-schema.*\.json$/.test(name));
  check("speedscope ships its schema", schemas.length > 0);
  for (const name of schemas) checkSchema("speedscope", read(speedscopeFolder + "/" + name), document);
  const profile = document.profiles[0];
  check("speedscope: a weight for each sample", profile.samples.length === profile.weights.length);
  check("speedscope: frames exist", profile.samples.every((stack) => stack.every((frame) => frame < document.shared.frames.length)));
  check("speedscope: the weights are the range", sum(profile.weights) === profile.endValue - profile.startValue);
  return sum(profile.weights);
}

const json = read(jsonPath);
checkSchema("json", read(schemaPath), json);
const total = sum(json.intervals.map((interval) => interval.total));
check("json: stacks add up", total === sum(json.intervals.flatMap((interval) => interval.stacks.map((stack) => stack.count))));
check("json: frames exist", json.intervals.every((interval) => interval.stacks.every((stack) =>
  [...(stack.kernel || []), ...(stack.user || [])].every((frame) => frame < json.frames.length))));
const pprofTotals = checkPprof(Profile.decode(zlib.gunzipSync(fs.readFileSync(pprofPath))));
const speedscopeTotal = checkSpeedscope(read(speedscopePath));
/* JSON and speedscope have whole microseconds of each stack. */
const pprofTotal = types.includes("off_cpu:") ? pprofTotals[1] / 1000 : pprofTotals[0];
const stacks = sum(json.intervals.map((interval) => interval.stacks.length));
check("all formats have one total", total === speedscopeTotal && pprofTotal >= total && pprofTotal <= total + (types.includes("off_cpu:") && stacks),
  [total, pprofTotal, speedscopeTotal]);
process.exit(failures ? 1 : 0);
