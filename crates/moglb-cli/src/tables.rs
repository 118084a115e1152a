//! The tidy table of results, as CSV and as Parquet, and the table of outcomes on data.
//!
//! Results have a row for each run, trial and recorded round, with the same columns in both formats. The
//! first eight columns identify the run, with parameters as JSON; then come trial, round, cumulative Pareto
//! regret, and four columns that compare the policy's front with the true front. In the CSV, texts that a
//! spreadsheet would run as a formula are made safe, see [`safe`].

use crate::cell::safe;
use anyhow::Result;
use moglb_sim::{Results, Row, Summary};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::fmt::{Display, Write};
use std::sync::Arc;

/// The columns of the table of results, as CSV.
const HEAD: &str = "\
    experiment,environment,environment_params,dim,arms,objectives,policy,params,trial,t,\
    pareto_regret,jaccard,precision,recall,front_size";

/// The columns of the table of outcomes, as CSV.
const OUTCOMES_HEAD: &str =
    "experiment,environment,environment_params,kind,policy,params,quantity,of,mean,ci95";

/// The columns of the Parquet file: those of [`HEAD`], with their types.
const SCHEMA: &str = "message results {
    REQUIRED BYTE_ARRAY experiment (UTF8);
    REQUIRED BYTE_ARRAY environment (UTF8);
    REQUIRED BYTE_ARRAY environment_params (UTF8);
    REQUIRED INT32 dim;
    REQUIRED INT32 arms;
    REQUIRED INT32 objectives;
    REQUIRED BYTE_ARRAY policy (UTF8);
    REQUIRED BYTE_ARRAY params (UTF8);
    REQUIRED INT32 trial;
    REQUIRED INT64 t;
    REQUIRED DOUBLE pareto_regret;
    OPTIONAL DOUBLE jaccard;
    OPTIONAL DOUBLE precision;
    OPTIONAL DOUBLE recall;
    OPTIONAL DOUBLE front_size;
}";

/// Returns the table of results as CSV. The last four columns are empty for a policy without a front.
pub fn csv(results: &Results) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEAD.split(','))?;
    let mut number = String::new();
    results.rows(|row| -> Result<()> {
        let mut field = |value: &dyn Display, writer: &mut csv::Writer<Vec<u8>>| {
            number.clear();
            write!(number, "{value}").expect("writing to a string");
            writer.write_field(&number)
        };
        [row.experiment, row.environment, row.environment_params]
            .iter()
            .try_for_each(|text| writer.write_field(&*safe(text)))?;
        [row.dim, row.arms, row.objectives].iter().try_for_each(|size| field(size, &mut writer))?;
        [row.policy, row.params].iter().try_for_each(|text| writer.write_field(&*safe(text)))?;
        field(&row.trial, &mut writer)?;
        field(&row.t, &mut writer)?;
        field(&row.pareto_regret, &mut writer)?;
        match row.front {
            Some(values) => values.iter().try_for_each(|value| field(value, &mut writer))?,
            None => (0..4).try_for_each(|_| writer.write_field(""))?,
        }
        writer.write_record(None::<&[u8]>)?;
        Ok(())
    })?;
    Ok(writer.into_inner()?)
}

/// Returns the table of results as Parquet. The last four columns are null for a policy without a front.
pub fn parquet(results: &Results) -> Result<Vec<u8>> {
    let mut columns = Columns::default();
    results.rows(|row| -> Result<()> { columns.push(row) })?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for text in &columns.text[..3] {
        write::<ByteArrayType>(&mut group, text, None)?;
    }
    for numbers in &columns.sizes {
        write::<Int32Type>(&mut group, numbers, None)?;
    }
    for text in &columns.text[3..] {
        write::<ByteArrayType>(&mut group, text, None)?;
    }
    write::<Int32Type>(&mut group, &columns.trial, None)?;
    write::<Int64Type>(&mut group, &columns.t, None)?;
    write::<DoubleType>(&mut group, &columns.pareto_regret, None)?;
    for values in &columns.front {
        write::<DoubleType>(&mut group, values, Some(&columns.has_front))?;
    }
    group.close()?;
    Ok(writer.into_inner()?)
}

/// Returns the outcomes on data as CSV, see [`moglb_sim::OutcomeRow`], or `None` if no environment is data.
pub fn outcomes(summary: &Summary) -> Result<Option<Vec<u8>>> {
    let rows = summary.outcome_rows();
    if rows.is_empty() {
        return Ok(None);
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(OUTCOMES_HEAD.split(','))?;
    for row in &rows {
        let ci95 = row.ci95.map(|ci95| ci95.to_string()).unwrap_or_default();
        let (mean, experiment) = (row.mean.to_string(), &summary.experiment.name);
        let head =
            [experiment, &row.environment, &row.environment_params, row.kind, &row.policy, &row.params];
        let cells = head.into_iter().chain([row.quantity, &row.of, &mean, &ci95]);
        writer.write_record(cells.map(|cell| safe(cell).into_owned()))?;
    }
    Ok(Some(writer.into_inner()?))
}

/// The columns of the Parquet file while the rows are collected.
#[derive(Default)]
struct Columns {
    /// Experiment, environment and its parameters, policy and its parameters.
    text: [Vec<ByteArray>; 5],
    /// Dimension, arms, objectives.
    sizes: [Vec<i32>; 3],
    trial: Vec<i32>,
    t: Vec<i64>,
    pareto_regret: Vec<f64>,
    /// The values of the last four columns, for the rows that have them.
    front: [Vec<f64>; 4],
    /// The definition level of those columns in each row: 1 if the row has values, 0 if not.
    has_front: Vec<i16>,
}

impl Columns {
    /// Adds a row.
    fn push(&mut self, row: Row<'_>) -> Result<()> {
        let texts = [row.experiment, row.environment, row.environment_params, row.policy, row.params];
        for (column, text) in self.text.iter_mut().zip(texts) {
            // Texts repeat from row to row, and a clone shares its bytes.
            let same = column.last().filter(|last| last.data() == text.as_bytes()).cloned();
            column.push(same.unwrap_or_else(|| ByteArray::from(text)));
        }
        for (column, size) in self.sizes.iter_mut().zip([row.dim, row.arms, row.objectives]) {
            column.push(i32::try_from(size)?);
        }
        self.trial.push(i32::try_from(row.trial)?);
        self.t.push(i64::try_from(row.t)?);
        self.pareto_regret.push(row.pareto_regret);
        self.has_front.push(i16::from(row.front.is_some()));
        if let Some(values) = row.front {
            self.front.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        }
        Ok(())
    }
}

/// Writes the next column of the schema. `levels` are the definition levels of an optional column.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<()> {
    let mut column = group.next_column()?.expect("a column for each of the schema");
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use moglb_sim::{Plan, Unwatched};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    fn results() -> Results {
        let text = r#"
            horizon = 20
            trials = 2
            environments = [{ id = "paper", dim = 3 }]
            policies = [{ id = "moglb-ucb", c = 0.1 }, { id = "s-ucb" }]
        "#;
        moglb_sim::run(&Plan::from_toml(text).unwrap(), 1, None, &Unwatched).unwrap()
    }

    #[test]
    fn csv_and_parquet_hold_the_same_rows() {
        let results = results();
        let csv = csv(&results).unwrap();
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, &parquet(&results).unwrap()).unwrap();
        let parquet = SerializedFileReader::new(file).unwrap();
        let mut lines = csv::Reader::from_reader(&csv[..]);
        assert_eq!(lines.headers().unwrap(), HEAD.split(',').collect::<Vec<_>>());
        let mut count = 0;
        for (line, row) in lines.records().zip(parquet.get_row_iter(None).unwrap()) {
            let (line, row) = (line.unwrap(), row.unwrap());
            for text in [0, 1, 2, 6, 7] {
                assert_eq!(line[text], *row.get_string(text).unwrap());
            }
            for number in [3, 4, 5, 8] {
                assert_eq!(line[number].parse::<i32>().unwrap(), row.get_int(number).unwrap());
            }
            assert_eq!(line[9].parse::<i64>().unwrap(), row.get_long(9).unwrap());
            assert_eq!(line[10].parse::<f64>().unwrap(), row.get_double(10).unwrap());
            assert_eq!(line[11].parse::<f64>().ok(), row.get_double(11).ok(), "no front: empty and null");
            count += 1;
        }
        assert_eq!(count, 2 * 2 * 20);
    }

    #[test]
    fn formulas_are_not_written_as_such() {
        let mut results = results();
        results.experiment.name = "=1+1".into();
        let csv = String::from_utf8(csv(&results).unwrap()).unwrap();
        assert!(csv.lines().skip(1).all(|line| line.starts_with("'=1+1,paper,")), "{csv}");
        let mut summary =
            crate::figure::tests::on_data(["=cheap", "@good"], crate::figure::tests::ONE_ARM_EACH);
        summary.experiment.name = "-name".into();
        let csv = String::from_utf8(outcomes(&summary).unwrap().unwrap()).unwrap();
        let begins = |cell: &str| cell.starts_with(['=', '+', '-', '@']) && cell.parse::<f64>().is_err();
        let mut lines = csv::Reader::from_reader(csv.as_bytes());
        assert!(lines.records().all(|row| !row.unwrap().iter().any(begins)), "{csv}");
        assert!(csv.contains("'-name,") && csv.contains(",'=cheap,") && csv.contains(",'@good,"), "{csv}");
    }

    #[test]
    fn outcomes_are_a_table_of_runs_and_baselines() {
        let summary = crate::figure::tests::on_data(["cheap", "good"], crate::figure::tests::ONE_ARM_EACH);
        let csv = outcomes(&summary).unwrap().unwrap();
        let mut lines = csv::Reader::from_reader(&csv[..]);
        let rows: Vec<csv::StringRecord> = lines.records().map(Result::unwrap).collect();
        let value = |kind: &str, params: &str, quantity: &str, of: &str| {
            let found = rows.iter().find(|row| {
                &row[3] == kind && row[5].contains(params) && &row[6] == quantity && &row[7] == of
            });
            let row = found.unwrap_or_else(|| panic!("{kind} {params} {quantity} {of}"));
            (row[8].parse::<f64>().unwrap(), row[9].parse::<f64>().ok())
        };
        let (mean, ci95) = value("run", "\"include\":[1]", "measure", "raw_cost");
        assert!((mean - 20.0).abs() < 1e-12 && ci95 == Some(0.0), "{mean} {ci95:?}");
        assert_eq!(value("run", "\"include\":[1]", "share", "good"), (1.0, Some(0.0)));
        let (mean, ci95) = value("baseline", "cheap", "regret", "0.5:0.5");
        assert!((mean - 0.25 / 3.0).abs() < 1e-12 && ci95.is_none(), "{mean} {ci95:?}");
        assert!(outcomes(&crate::figure::tests::summary(&[3], &[1], 2)).unwrap().is_none());
    }
}
